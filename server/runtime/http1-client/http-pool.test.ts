/** The pool by itself: connections whose sockets only record that they were closed. */
import { expect, test } from 'bun:test'
import { HttpConnection } from './http-connection.ts'
import { createHttpPool } from './http-pool.ts'

function poolWith(sweepEveryMs = 1_000_000) {
  const clock = { now: 0, monotonic: () => clock.now }
  const pool = createHttpPool(clock, sweepEveryMs)
  const closed: string[] = []
  const connection = (origin: string, name: string) => {
    const socket = {
      readyState: 1,
      write: () => 0,
      pause: () => undefined,
      resume: () => undefined,
      ref: () => undefined,
      unref: () => undefined,
      terminate() {
        socket.readyState = -1
        closed.push(name)
      },
    }
    return new HttpConnection(origin, socket, pool.forget)
  }
  return { clock, pool, closed, connection }
}

test('the one that was used last serves next, each only for its origin', () => {
  const { pool, connection } = poolWith()
  const [one, two, other] = [connection('a', '1'), connection('a', '2'), connection('b', '3')]
  for (const each of [one, two, other]) pool.keep(each, undefined)
  expect([pool.take('a'), pool.take('a'), pool.take('a'), pool.take('b')]).toEqual([two, one, undefined, other])
})

test('what is closed while it waits is not given out', () => {
  const { pool, closed, connection } = poolWith()
  const [one, two] = [connection('a', '1'), connection('a', '2')]
  for (const each of [one, two]) pool.keep(each, undefined)
  two.ended()
  expect([pool.take('a'), closed]).toEqual([one, ['2']])
  pool.keep(one, undefined)
  // Unsolicited bytes.
  one.received(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))
  expect([pool.take('a'), closed]).toEqual([undefined, ['2', '1']])
})

test('what waits too long is closed, when it is looked for and when nobody asks', async () => {
  const { clock, pool, closed, connection } = poolWith(5)
  pool.keep(connection('a', '1'), undefined)
  pool.keep(connection('a', '2'), 31)
  clock.now = 30_000
  while (closed.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(closed).toEqual(['2'])
  clock.now = 90_000
  expect(pool.take('a')).toBeUndefined()
  expect(closed).toEqual(['2', '1'])
})

test('only so many wait, for one origin and in all', () => {
  const { pool, closed, connection } = poolWith()
  for (let count = 0; count < 300; count++) pool.keep(connection('a', 'a'), undefined)
  expect(closed.length).toBe(300 - 256)
  for (let count = 0; count < 1024; count++) pool.keep(connection(`b${count}`, 'b'), undefined)
  expect(closed.length).toBe(300 + 1024 - 1024)
  pool.close()
  expect(closed.length).toBe(1324)
})
