/** Books that also tell whose requests have been answered, for the console's event stream. */
import type { Books } from '#billing/ledger/books'
import type { LiveChanges } from '#live/live-changes'

/** The same books; each row that a request leaves is told first, since whoever reads rows waits for them. */
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
