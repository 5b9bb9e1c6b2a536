/** Lines about a request name its trace; others are as they were. */
import { expect, test } from 'bun:test'
import { tracedLog } from './traced-log.ts'

test('a line about a request whose trace is known has trace_id, at every level', () => {
  const lines: [string, object, string][] = []
  const write = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
  const plain = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const log = tracedLog(plain, 'debug', (requestId) => (requestId === 'req_1' ? 'abc' : undefined))
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({ requestId: 'req_1' }, 'said')
  log.info({ requestId: 'req_2' }, 'said')
  log.info({}, 'said')
  expect(lines).toEqual([
    ...['debug', 'info', 'warn', 'error'].map(
      (level) => [level, { requestId: 'req_1', trace_id: 'abc' }, 'said'] as [string, object, string],
    ),
    ['info', { requestId: 'req_2' }, 'said'],
    ['info', {}, 'said'],
  ])
})

test('nothing is computed for lines that are not written', () => {
  const asked: string[] = []
  const said: string[] = []
  const write = () => (_: object, message: string) => void said.push(message)
  const plain = { debug: write(), info: write(), warn: write(), error: write() }
  const log = tracedLog(plain, 'warn', (requestId) => void asked.push(requestId))
  log.debug({ requestId: 'req_1' }, 'not this')
  log.info({ requestId: 'req_2' }, 'nor this')
  log.warn({ requestId: 'req_3' }, 'this')
  expect([asked, said]).toEqual([['req_3'], ['this']])
})
