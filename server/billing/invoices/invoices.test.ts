/** Exports of upstreams against the second book, by hand-made files. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { InvoiceVendor } from '#shared/console/books'
import { GatewayError } from '#shared/errors'
import { compareInvoice, type LoggedCost } from './compare.ts'
import { readCsv } from './csv.ts'
import { readInvoice } from './exports.ts'

const file = (name: string) => readFileSync(new URL(`./fixtures/${name}.csv`, import.meta.url), 'utf8')
const logged = (model: string, usd: number | null, day = '2026-03-01', requests = 10): LoggedCost => ({
  ...{ day, model, requests, page: `/requests?model=${model}` },
  cost: usd === null ? null : BigInt(Math.round(usd * 1e9)),
})
const check = (vendor: InvoiceVendor, known: readonly LoggedCost[], name: string = vendor) => {
  const { lines, leftOut } = readInvoice(vendor, file(name))
  const { rows, billed } = compareInvoice(lines, known)
  return {
    leftOut,
    billed,
    rows: rows.map(({ day, model, billed, logged, difference, fits }) => [day, model, billed, logged, difference, fits]),
  }
}

test('comma-separated values: quotes, doubled quotes, line breaks, empty fields', () => {
  expect(readCsv('\uFEFFa,"b ""c"", d",\r\n"two\nlines",,e\n\n"",x')).toEqual([
    ['a', 'b "c", d', ''],
    ['two\nlines', '', 'e'],
    ['', 'x'],
  ])
  expect([readCsv(''), readCsv('a'), readCsv('"open')]).toEqual([[], [['a']], [['open']]])
})

describe('by day and model', () => {
  test('OpenAI: what fits to a cent, what was billed thirty times as high, and what no request explains', () => {
    const { rows, billed } = check('openai', [logged('gpt-5-2025-08-07', 1.75), logged('gpt-5-mini', 0.2674, '2026-03-02')])
    expect(rows).toEqual([
      ['2026-03-02', 'gpt-5-mini', '7.7', '0.2674', '7.4326', false],
      ['2026-03-02', 'web search tool calls', '0.03', null, '0.03', false],
      ['2026-03-01', 'gpt-5-2025-08-07', '1.75000015', '1.75', '0.00000015', true],
    ])
    expect(billed).toBe(9_480_000_150n)
  })

  test('Anthropic: models under their titles', () => {
    expect(
      check('anthropic', [logged('claude-haiku-4-5-20251001', 2), logged('claude-haiku-4-5-20251001', 0.5, '2026-03-02')]).rows,
    ).toEqual([
      ['2026-03-02', 'claude-haiku-4-5-20251001', '0', '0.5', '-0.5', false],
      ['2026-03-01', 'without a model', '0.1', null, '0.1', false],
      ['2026-03-01', 'claude-haiku-4-5-20251001', '2', '2', '0', true],
    ])
  })

  test('Google: behind a preamble, with thousands; another model of the family is not this one', () => {
    expect(check('google', [logged('gemini-2.5-flash', 1000)])).toEqual({
      leftOut: 2,
      billed: 1_002_750_000_400n,
      rows: [
        ['2026-03-01', 'Generate content output token count gemini 2.5 flash lite text', '0.25', null, '0.25', false],
        ['2026-03-01', 'gemini-2.5-flash', '1002.5000004', '1000', '2.5000004', true],
      ],
    })
  })

  test.each(['amazon', 'amazon-2'])('Amazon, %s: of Bedrock alone, without taxes', (name) => {
    const { rows } = check('amazon', [logged('us.anthropic.claude-3-5-sonnet-20241022-v2:0', 3)], name)
    expect(rows).toEqual([['2026-03-01', 'us.anthropic.claude-3-5-sonnet-20241022-v2:0', '3', '3', '0', true]])
  })

  test('one model under its name and its dated name is one; another version is another', () => {
    const line = (label: string) => ({ day: '2026-03-01', label, amount: 10n ** 18n })
    const { rows } = compareInvoice(
      ['gpt-5-2025-08-07, input', 'gpt-5-mini, input', 'Claude Sonnet 4.5', 'gpt-4o-2024-08-06, output'].map(line),
      ['gpt-5', 'gpt-5-2025-08-07', 'claude-sonnet-4', 'gpt-4'].map((model) => logged(model, 0.5)),
    )
    expect(rows.map(({ model, billed, logged, requests }) => [model, billed, logged, requests]).sort()).toEqual([
      ['Claude Sonnet 4.5', '1', null, 0],
      ['claude-sonnet-4', '0', '0.5', 10],
      ['gpt-4', '0', '0.5', 10],
      ['gpt-4o-2024-08-06', '1', null, 0],
      ['gpt-5', '1', '1', 20],
      ['gpt-5-mini', '1', null, 0],
    ])
  })

  test('channels without costs have nothing to compare, and report that', () => {
    expect(check('anthropic', [logged('claude-haiku-4-5', null)]).rows[0]).toEqual([
      '2026-03-01',
      'claude-haiku-4-5',
      '2',
      null,
      '2',
      false,
    ])
  })
})

test.each<[string, InvoiceVendor, string]>([
  ['of another upstream', 'openai', file('anthropic')],
  ['of nothing', 'amazon', ''],
  ['in another currency', 'openai', file('openai').replace(',usd,', ',eur,')],
  ['without an amount', 'anthropic', file('anthropic').replace('0.30,0.30', 'n/a,n/a')],
])('a file %s is refused', (_, vendor, text) => {
  expect(() => readInvoice(vendor, text)).toThrow(GatewayError)
})
