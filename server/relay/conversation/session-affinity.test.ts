import { expect, test } from 'bun:test'
import { sessionNames } from './session-affinity.ts'

const names = (headers: Record<string, string>, affinity: string[] = []) =>
  sessionNames({ headers: { get: (name) => headers[name] ?? null } }, { affinity })

test('the session that a header names comes before what the body names, each once', () => {
  expect(names({ 'thread-id': 't', 'x-session-id': 's' }, ['cache', 's', 'user'])).toEqual(['s', 't', 'cache', 'user'])
})

test('no header, an empty one and one that is too long name nothing', () => {
  expect(names({}, ['cache'])).toEqual(['cache'])
  expect(names({ 'x-session-id': '', session_id: 'x'.repeat(513) })).toEqual([])
})
