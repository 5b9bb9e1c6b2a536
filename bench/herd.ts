/**
 * `bun bench/herd.ts KEYS CALLERS`: everybody comes at once, on two instances and PostgreSQL: so many cold keys (10,000), each with a wallet
 * and four budgets that begin, asked for by so many callers (1,500), while one warm key goes on. Prints what was refused, and how long holds
 * took, in milliseconds.
 */
import { herd } from '#testing/books/herd'

const [keys = 10_000, callers = 1_500] = process.argv.slice(2).map(Number)
const { spent, ...outcome } = await herd({ keys, callers })
console.log(JSON.stringify({ keys, callers, ...outcome, charged: `${spent}` }, null, 1))
