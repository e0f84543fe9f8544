"""SQL over HTTP and WebSocket, whether the server is well, and its metrics."""
