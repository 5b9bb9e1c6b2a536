import { expect, test } from 'bun:test'
import { cutPage, pageOf } from './page.ts'

const text = 'x'.repeat(300 * 1024)
const rows = Array.from({ length: 10 }, (_, n) => ({ id: `r${n}`, models: [text], at: new Date(0), count: 10n }))

test('a page has about a megabyte at most, and the next one goes on where it ended', () => {
  const seen: string[] = []
  let after: string | undefined
  for (;;) {
    const page = pageOf('rows', rows, ({ id }) => id, { limit: 200, ...(after !== undefined && { after }) })
    expect(page.data.length).toBeLessThanOrEqual(3)
    seen.push(...page.data.map(({ id }) => id))
    if (page.next === null) break
    after = page.next
  }
  expect(seen).toEqual(rows.map(({ id }) => id))
})
test('a page from the database is cut the same way', () => {
  expect(cutPage({ data: rows, next: 'later' }, ({ id }) => `after ${id}`)).toEqual({ data: rows.slice(0, 3), next: 'after r2' })
  expect(cutPage({ data: rows.slice(0, 2), next: 'later' }, ({ id }) => id)).toEqual({ data: rows.slice(0, 2), next: 'later' })
})
test('one row is always there, however large; maps and sets count too', () => {
  const large = { id: 'large', models: new Map([['m', { name: text.repeat(9) }]]) }
  expect(pageOf('rows', [large, { ...large, id: 'next' }], ({ id }) => id, { limit: 5 }).data).toEqual([large])
})
