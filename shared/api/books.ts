/** The response of GET /api/books. */
import { type BooksReport, booksParts } from '../console/books.ts'
import { Decimal, OneOf, Type } from '../typebox.ts'
import { Instant, says } from './console.ts'
import { Open } from './fields.ts'

const count = () => Type.Integer()

/** The result of a check of the books. */
export const BooksAnswer = says<BooksReport>().of(
  Open({
    at: Instant(),
    exact: Type.Boolean({ description: 'Nothing is wrong.' }),
    balance: Decimal(),
    leased: Decimal(),
    looked: Open({
      wallets: count(),
      budgets: count(),
      entries: count(),
      rows: count(),
      hours: count(),
      leases: count(),
      journals: count(),
      requestsInJournals: count(),
      unsettled: count(),
    }),
    parts: Open({ ledger: count(), rows: count(), sums: count(), budgets: count(), leases: count(), journals: count() }),
    faults: Type.Array(Open({ part: OneOf(booksParts), rule: Type.String(), what: Type.String(), found: Type.String() })),
    notes: Type.Array(Type.String()),
  }),
)
