/** Readers of the console take none of the connections that the accounts need. */
import { expect, test } from 'bun:test'
import { booksPlace, codeOf, here } from '#testing/books/test-books'
import { engines } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { remoteBooks } from './remote-books.ts'

test.if(engines.includes('postgres'))(
  'twenty readers have every connection of the console: keys that nobody has used yet are served all the same',
  async () => {
    const place = await booksPlace('postgres')
    try {
      const { store } = place
      if (!store.worker) throw new Error('the engine has a worker')
      const books = await place.begin({ database: remoteBooks(store.worker) }, here)
      const ids = await Promise.all(Array.from({ length: 20 }, () => place.wallet(1_000n)))
      let read = 0
      const readers = ids.map(async () => {
        await runSql(store, 'select pg_sleep(1.5)')
        read += 1
      })
      const codes = await Promise.all(ids.map((id) => codeOf(books.hold(`r-${id}`, [{ id }], 100n))))
      expect(read).toBe(0)
      expect(new Set(codes)).toEqual(new Set(['ok']))
      await Promise.all(readers)
    } finally {
      await place.close()
    }
  },
  60_000,
)
