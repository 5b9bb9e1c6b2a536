/** The check of the books ends when its client disconnects; on the embedded engine the accounts do not wait for it. */
import { expect, test } from 'bun:test'
import { codeOf } from '#testing/books/test-books'
import { engines, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { checkBooks } from './books-check.ts'
import { remoteBooks } from './remote-books.ts'

const nothing = { journals: [], now: 0 }

test.each([...engines])(
  'it ends when the asker leaves, on %s',
  async (engine) => {
    const base = await throwawayDatabase(engine)
    try {
      const asker = new AbortController()
      // A statement waiting for others' locks is cancelled then: it would not end by itself.
      const slow = engine === 'postgres' ? runSql(base.store, `do 'begin lock table logs; perform pg_sleep(2); end'`) : undefined
      const ended = codeOf(checkBooks({ store: base.store, signal: asker.signal, ...nothing }))
      asker.abort()
      expect(await ended).toBe('client_closed_request')
      await slow
      expect((await checkBooks({ store: base.store, ...nothing })).exact).toBe(true)
    } finally {
      await base.close()
    }
  },
  60_000,
)

test('on the embedded engine it goes rule by rule: what the accounts ask meanwhile comes in between', async () => {
  const base = await throwawayDatabase('embedded')
  try {
    const { store } = base
    if (!store.worker) throw new Error('the embedded engine has a worker')
    const accounts = remoteBooks(store.worker)
    await accounts.lastCall(1n)
    const events: string[] = []
    const check = checkBooks({ store, ...nothing }).then(() => void events.push('checked'))
    for (let n = 0; n < 3; n++) await accounts.lastCall(1n).then(() => void events.push('accounts'))
    await check
    expect(events).toEqual(['accounts', 'accounts', 'accounts', 'checked'])
  } finally {
    await base.close()
  }
}, 60_000)
