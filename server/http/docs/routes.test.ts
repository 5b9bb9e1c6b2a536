import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Route } from '#http/request/route'
import { html, prose, table } from './html.ts'
import { readLosses } from './losses.ts'
import { describe as described, document } from './openapi.ts'
import { colours } from './style.ts'

const fileOf = (path: string) => readFileSync(`${import.meta.dir}/../../../${path}`, 'utf8')

describe('HTML', () => {
  test('text is escaped, HTML is not, lists are joined', () => {
    const inner = html`<b>${'<i>&"'}</b>`
    expect(html`<p title="${'"'}">${inner}${[inner, inner]}${7}</p>`.html).toBe(
      `<p title="&quot;">${'<b>&lt;i&gt;&amp;&quot;</b>'.repeat(3)}7</p>`,
    )
  })

  test('prose has code, strong and stressed words, and nothing else', () => {
    expect(prose('**a** `<b>` *c* <d>').html).toBe('<strong>a</strong> <code>&lt;b&gt;</code> <em>c</em> &lt;d&gt;')
  })

  test('a table has headers for rows and columns', () => {
    const { html: written } = table('Sizes', ['Name', 'Size'], [['a', 'large']])
    expect(written).toContain('<th scope="col">Size</th>')
    expect(written).toContain('<th scope="row">a</th><td>large</td>')
  })
})

describe('the page of losses', () => {
  const page = readLosses(fileOf('docs/losses.md'))

  test('is understood whole: every row has a cell for each column, every number its reason', () => {
    const tables = page.chapters.flatMap(({ tables: own }) => own)
    expect(tables.length).toBeGreaterThan(5)
    for (const { title, head, rows, reasons } of tables) {
      expect(title).toMatch(/^[A-Z]/)
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) expect([title, row.length]).toEqual([title, head.length])
      const numbers = rows
        .flat()
        .flatMap((cell) => [...cell.matchAll(/\[([\d, ]+)\]/g)].flatMap(([, list = '']) => list.split(', ').map(Number)))
      expect([title, Math.max(0, ...numbers)]).toEqual([title, reasons.length])
    }
  })

  test('has its introduction, and the words of its tables in the legend', () => {
    expect(page.intro[0]).toStartWith('Where a client')
    expect(page.legend.some((line) => line.startsWith('**refused**'))).toBe(true)
    expect(page.chapters.map(({ title }) => title)).toEqual(['Requests', 'Answers'])
  })
})

test('the colours are those of the playground', () => {
  const tokens = fileOf('client/ui/tokens.css')
  for (const [name, [light, dark]] of Object.entries(colours)) expect(tokens).toContain(`--${name}: light-dark(${light}, ${dark});`)
})

test('a route that nobody describes stands in the document by its address', () => {
  const stray: Route = { method: 'GET', path: '/v1/stray/:id', envelope: 'chat', handle: () => new Response() }
  expect(described([stray])).toMatchObject([{ method: 'GET', path: '/v1/stray/{id}' }])
  expect(document([stray], '1')).toMatchObject({ paths: { '/v1/stray/{id}': { get: { summary: '/v1/stray/{id}' } } } })
})
