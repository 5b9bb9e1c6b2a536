import { expect, test } from 'bun:test'
import { isStrayWrite } from './stray-write.ts'

const at = (place: string, thrown: Error = new TypeError("null is not an object (evaluating 'socket.write')")) =>
  Object.assign(thrown, { stack: `${thrown.name}: ${thrown.message}\n    at ${place}` })

test('only the write of the driver on a socket that is gone', () => {
  expect(isStrayWrite(at('nextWrite (/app/node_modules/postgres/src/connection.js:255:15)'))).toBe(true)
  expect(isStrayWrite(at('nextWrite (C:\\app\\node_modules\\postgres\\src\\connection.js:255:15)'))).toBe(true)
  expect(isStrayWrite(at('execute (/app/node_modules/postgres/src/connection.js:170:1)'))).toBe(false)
  expect(isStrayWrite(at('nextWrite (/app/server/store/postgres.ts:1:1)'))).toBe(false)
  expect(isStrayWrite(at('nextWrite (/app/node_modules/postgres/src/connection.js:255:15)', new Error('another')))).toBe(false)
  expect(isStrayWrite('nextWrite')).toBe(false)
})
