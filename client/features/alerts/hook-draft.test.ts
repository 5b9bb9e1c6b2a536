import { expect, test } from 'bun:test'
import type { AlertHookRow } from '#shared/console/alert'
import { draftOf, hookPatchOf, newHookOf } from './hook-draft.ts'

const row: AlertHookRow = {
  ...{ id: 'ah_1', name: 'ops', form: 'smtp', address: 'smtps://mail.example.com', enabled: true, createdAt: '2026-05-05T12:00:00.000Z' },
  ...{ from: 'parley@example.com', to: ['a@example.com', 'b@example.com'], kinds: ['budget'] },
}

test('a change keeps the address and the secret that were not typed', () => {
  const draft = draftOf(row)
  expect(hookPatchOf(draft)).toEqual({
    ...{ name: 'ops', kinds: ['budget'] },
    ...{ from: 'parley@example.com', to: ['a@example.com', 'b@example.com'] },
  })
  expect(hookPatchOf({ ...draft, all: true, to: 'c@example.com' })).toMatchObject({ kinds: null, to: ['c@example.com'] })
})

test('a new destination sends a secret if its form has one, and mail addresses only for mail', () => {
  const typed = { ...draftOf(), name: ' ops ', url: ' https://hook.example.com/x ', secret: 's', from: 'x@y', to: 'x@y' }
  expect(newHookOf(typed)).toEqual({ name: 'ops', form: 'http', url: 'https://hook.example.com/x', kinds: null })
  expect(newHookOf({ ...typed, form: 'feishu' })).toEqual({
    ...{ name: 'ops', form: 'feishu', url: 'https://hook.example.com/x', kinds: null, secret: 's' },
  })
})
