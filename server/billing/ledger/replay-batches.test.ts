/** Requests of batches that a crash met between writing their answers and charging them: each is charged once, and only if it is there. */
import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { chargesIn } from '#testing/books/invariants'
import { booksPlace, here, type Place } from '#testing/books/test-books'
import { sampledEngine } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { usageRow } from '#testing/usage-row'

let place: Place | undefined
afterEach(async () => {
  const wrong = await place?.settled()
  await place?.close()
  expect(wrong).toEqual([])
}, 30_000)

const row = (requestId: string, batch?: string) => usageRow({ requestId, cost: 400n, userId: 'w1', ...(batch && { batch }) })

test('an answer that is in its batch is charged, one that is not is asked again', async () => {
  place = await booksPlace(sampledEngine(import.meta.file))
  const wallet = await place.wallet(1_000_000n)
  await runSql(place.store, "insert into users (id, name, groups, created_at) values ('ann', 'ann', '{default}', now())")
  await runSql(
    place.store,
    `insert into batches (id, tenant, key_id, envelope, endpoint, created_at, ends_at, expires_at, total, bytes, sealed)
     values ('b', 'ann', 'k', 'openai', '/v1/responses', now(), now(), now(), 3, 0, '')`,
  )
  await runSql(
    place.store,
    `insert into batch_lines (batch, place, state, request_id) values ('b', 0, 'succeeded', 'kept'), ('b', 1, 'succeeded', 'settled'),
     ('b', 2, 'waiting', null)`,
  )
  const folder = join(place.base.folder, 'mine')
  const books = await place.begin({ folder }, here)
  for (const id of ['kept', 'settled', 'unkept', 'stream']) await books.hold(id, [{ id: wallet }], 1000n)
  for (const id of ['kept', 'settled', 'unkept']) books.progress(row(id, 'b'))
  books.progress(row('stream'))
  await books.settle(row('settled', 'b'))
  await books.flush()
  // As after kill -9: nobody has closed it.
  await place.begin({ folder }, here)
  expect(await chargesIn(place.store)).toEqual(
    new Map([
      ['settled', 400n],
      ['kept', 400n],
      ['stream', 400n],
    ]),
  )
}, 30_000)
