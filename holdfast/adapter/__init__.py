"""The adapter: from what clients say to what the layers below do, and back."""
