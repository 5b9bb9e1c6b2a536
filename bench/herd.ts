/**
 * `bun bench/herd.ts KEYS CALLERS`: a thundering herd on two instances and PostgreSQL: so many cold keys (10,000), each with a wallet and
 * four budgets that begin, requested by so many callers (1,500), while one warm key continues. `bun bench/herd.ts midnight KEYS CALLERS`:
 * so many keys (20,000) with a daily budget each, whose windows are opened ahead as before midnight, and which then all come at once.
 * Prints refusals, the duration and CPU time of holds in milliseconds, and the number of calls made for them.
 */
import { herd } from '#testing/books/herd'

const [first, ...others] = process.argv.slice(2)
const isMidnight = first === 'midnight'
const [keys = isMidnight ? 20_000 : 10_000, callers = 1_500] = (isMidnight ? others : process.argv.slice(2)).map(Number)
const { spent, ...outcome } = await herd({ keys, callers, ...(isMidnight && { spans: ['day'], opened: true }) })
console.log(JSON.stringify({ keys, callers, ...outcome, charged: `${spent}` }, null, 1))
