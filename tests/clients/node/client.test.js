// node-postgres asks a server: HOLDFAST_PORT and HOLDFAST_SCHEMA say which, and where.
'use strict'

const assert = require('node:assert/strict')
const { before, beforeEach, afterEach, test } = require('node:test')
const { pipeline } = require('node:stream/promises')
const { Readable } = require('node:stream')
const { Client, Pool } = require('pg')
const Cursor = require('pg-cursor')
const QueryStream = require('pg-query-stream')
const copy = require('pg-copy-streams')

const schema = process.env.HOLDFAST_SCHEMA
const settings = {
  host: '127.0.0.1',
  port: Number(process.env.HOLDFAST_PORT),
  user: 'materialize',
  database: 'materialize',
  options: `-c search_path=${schema}`,
}
const FOREVER = 'SELECT * FROM waiting AS OF 9000000000000'

let client
let number = 0
let table

before(async () => {
  const first = new Client(settings)
  await first.connect()
  await first.query('CREATE TABLE waiting (a integer)')
  await first.end()
})

beforeEach(async () => {
  client = new Client(settings)
  await client.connect()
  number += 1
  table = `t${number}`
})

afterEach(async () => {
  await client.end()
})

const rows = async (text, values) => (await client.query({ text, values, rowMode: 'array' })).rows

const refused = async (text, code) => {
  await assert.rejects(client.query(text), (error) => error.code === code)
}

// The driver's parser reads texts only, whatever format is asked for.
test('values come back', async () => {
  const given = {
    boolean: true,
    smallint: -32768,
    integer: 2147483647,
    bigint: '-9223372036854775808',
    'double precision': 0.1,
    numeric: '12345678901234567890.123456789',
    text: 'ä€🙂 \' " \\ \n',
    bytea: Buffer.from([...Array(256).keys()]),
    timestamptz: new Date('2024-02-29T12:34:56.789Z'),
    uuid: '00000000-0000-0000-0000-00000000000a',
    jsonb: { a: [1, null, { b: 'ä' }] },
    'integer[]': [1, null, 3],
    'text[]': ['a', null, '', 'NULL', 'q"\\'],
    date: '2024-02-29',
    time: '23:59:59.999999',
  }
  client.setTypeParser(1082, (text) => text)
  const types = Object.keys(given)
  await client.query(`CREATE TABLE ${table} (${types.map((type, index) => `c${index} ${type}`).join(', ')})`)
  const places = types.map((_, index) => `$${index + 1}`).join(', ')
  await client.query(`INSERT INTO ${table} VALUES (${places})`, Object.values(given))
  await client.query(`INSERT INTO ${table} VALUES (${places})`, types.map(() => null))
  const found = await rows(`SELECT * FROM ${table} ORDER BY c0`)
  assert.deepEqual(found, [Object.values(given), types.map(() => null)])
})

test('columns have names and types', async () => {
  const result = await client.query("SELECT 1 AS a, 'x'::text AS b")
  assert.deepEqual(result.rows, [{ a: 1, b: 'x' }])
  assert.deepEqual(result.fields.map((field) => [field.name, field.dataTypeID]), [['a', 23], ['b', 25]])
  assert.equal(result.command, 'SELECT')
})

test('prepared statements are used again', async () => {
  await client.query(`CREATE TABLE ${table} (a integer, b text)`)
  for (let index = 0; index < 10; index++) {
    const insert = { name: 'insert', text: `INSERT INTO ${table} VALUES ($1, $2)`, values: [index, String(index)] }
    assert.equal((await client.query(insert)).rowCount, 1)
  }
  for (let index = 0; index < 10; index++) {
    const get = { name: 'get', text: `SELECT b FROM ${table} WHERE a = $1`, values: [index] }
    assert.deepEqual((await client.query(get)).rows, [{ b: String(index) }])
  }
})

test('transactions commit and roll back', async () => {
  await client.query(`CREATE TABLE ${table} (a integer)`)
  await client.query('BEGIN')
  await client.query(`INSERT INTO ${table} VALUES (1)`)
  await client.query('COMMIT')
  await client.query('BEGIN')
  await client.query(`INSERT INTO ${table} VALUES (2)`)
  await client.query('ROLLBACK')
  assert.deepEqual(await rows(`SELECT a FROM ${table}`), [[1]])
  await client.query('BEGIN')
  await refused('SELECT nothing', '42703')
  await refused('SELECT 1', '25P02')
  await client.query('ROLLBACK')
})

test('errors have codes and places', async () => {
  await assert.rejects(client.query('SELECT 1 + wrong'), (error) => {
    assert.equal(error.code, '42703')
    assert.equal(error.position, '12')
    assert.equal(error.severity, 'ERROR')
    assert.equal(error.message, 'column "wrong" does not exist')
    return true
  })
  await refused('SELECT 1 / 0', '22012')
  await refused('SELECT * FROM nowhere', '42P01')
  assert.deepEqual(await rows('SELECT 1'), [[1]])
})

test('notices arrive', async () => {
  const heard = []
  client.on('notice', (notice) => heard.push(notice.message))
  await client.query('DROP TABLE IF EXISTS nowhere')
  assert.deepEqual(heard, ['table "nowhere" does not exist, skipping'])
})

test('a statement that waits is cancelled', async () => {
  const other = new Client(settings)
  const waiting = client.query(FOREVER)
  setTimeout(() => other.cancel(client, client._activeQuery), 200)
  await assert.rejects(waiting, (error) => error.code === '57014')
  assert.deepEqual(await rows('SELECT 1'), [[1]])
})

test('a statement has as long as its timeout', async () => {
  await client.query("SET statement_timeout = '100ms'")
  await refused(FOREVER, '57014')
})

test('a cursor gives rows in parts', async () => {
  const cursor = client.query(new Cursor('SELECT n FROM generate_series(1, $1::integer) AS s (n) ORDER BY n', [100]))
  assert.deepEqual((await cursor.read(3)).map((row) => row.n), [1, 2, 3])
  assert.equal((await cursor.read(1000)).length, 97)
  assert.equal((await cursor.read(10)).length, 0)
  await cursor.close()
})

test('rows are streamed', async () => {
  const stream = client.query(new QueryStream('SELECT n FROM generate_series(1, 1000) AS s (n) ORDER BY n'))
  const found = []
  for await (const row of stream) found.push(row.n)
  assert.equal(found.length, 1000)
  assert.equal(found[999], 1000)
})

test('rows are copied in and out', async () => {
  await client.query(`CREATE TABLE ${table} (a integer, b text)`)
  const data = '1\tone\n2\t\\N\n3\tx\\ty\n'
  await pipeline(Readable.from([data]), client.query(copy.from(`COPY ${table} FROM STDIN`)))
  const out = []
  for await (const chunk of client.query(copy.to(`COPY (SELECT * FROM ${table} ORDER BY a) TO STDOUT`))) out.push(chunk)
  assert.equal(Buffer.concat(out).toString(), data)
  await assert.rejects(pipeline(Readable.from(['x\n']), client.query(copy.from(`COPY ${table} FROM STDIN`))))
  assert.deepEqual(await rows(`SELECT count(*)::integer FROM ${table}`), [[3]])
})

test('a subscription is followed', async () => {
  await client.query(`CREATE TABLE ${table} (a integer)`)
  await client.query(`INSERT INTO ${table} VALUES (1)`)
  const other = new Client(settings)
  await other.connect()
  await client.query('BEGIN')
  await client.query(`DECLARE c CURSOR FOR SUBSCRIBE ${table}`)
  const next = async () => (await client.query("FETCH 1 c WITH (timeout = '10s')")).rows.map((row) => row.a)
  assert.deepEqual(await next(), [1])
  await other.query(`INSERT INTO ${table} VALUES (2)`)
  assert.deepEqual(await next(), [2])
  await client.query('ROLLBACK')
  await other.end()
})

test('many clients of a pool are answered', async () => {
  const pool = new Pool({ ...settings, max: 10 })
  await pool.query(`CREATE TABLE ${table} (a integer)`)
  await Promise.all([...Array(50).keys()].map((index) => pool.query(`INSERT INTO ${table} VALUES ($1)`, [index])))
  const found = await pool.query(`SELECT count(*)::integer AS count, sum(a)::integer AS sum FROM ${table}`)
  assert.deepEqual(found.rows, [{ count: 50, sum: 1225 }])
  await pool.end()
})

test('several statements have several results', async () => {
  const results = await client.query('SELECT 1 AS a; SELECT 2 AS b')
  assert.deepEqual(results.map((result) => result.rows), [[{ a: 1 }], [{ b: 2 }]])
})

