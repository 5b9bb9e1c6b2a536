/** Books that also report whose requests were answered, for the console's event stream. */
import type { Books } from '#billing/ledger/books'
import type { LiveChanges } from '#live/live-changes'

/** The same books; each row is reported before it is written, since the event makes readers wait for it. */
export function watchedBooks<Inner extends Books>(books: Inner, { answered }: Pick<LiveChanges, 'answered'>): Inner {
  return {
    ...books,
    settle(row) {
      answered(row.userId)
      return books.settle(row)
    },
    release(row) {
      answered(row.userId)
      return books.release(row)
    },
    record(row) {
      answered(row.userId)
      return books.record(row)
    },
  }
}
