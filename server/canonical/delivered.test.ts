import { describe, expect, test } from 'bun:test'
import { type Delivered, later, nothingDelivered, type ReportedUsage, settled, soundTokens, textBytes } from './delivered.ts'
import { noUsage, type Usage } from './usage.ts'

const brought = (more: Partial<Delivered>): Delivered => ({ ...nothingDelivered(), ...more })
const reported = (fresh: number, total: number, delivered: Partial<Delivered> = {}): ReportedUsage => {
  const usage: Usage = { ...noUsage(), provenance: 'provider', raw: 'as told' }
  usage.in.fresh = fresh
  usage.out.total = total
  return { usage, delivered: brought(delivered) }
}
const settling = { inputBytes: 12, isOver: true }
const figures = ({ in: input, out, provenance }: Usage) => [input.fresh, out.total, provenance]

test('nothing told: four bytes a token, rounded up, a picture and sound by themselves', () => {
  expect(settled(undefined, brought({ text: 9, reasoning: 4, sound: 19.2, images: 2 }), settling)).toMatchObject({
    in: { fresh: 3 },
    out: { total: 4 + 20 + 2580, reasoning: 1, audio: 20, image: 2580 },
    provenance: 'estimated',
    raw: null,
  })
})

describe('a side that was left out is counted, the other holds', () => {
  const words = { text: 40 }
  test('the output', () => {
    expect(settled(reported(100, 0, words), brought(words), settling)).toMatchObject({ raw: 'as told' })
    expect(figures(settled(reported(100, 0, words), brought(words), settling))).toEqual([100, 10, 'partial'])
    // No output.
    expect(figures(settled(reported(100, 0), brought({}), settling))).toEqual([100, 0, 'provider'])
  })

  test('the input, unless somebody else counts it', () => {
    expect(figures(settled(reported(0, 7, words), brought(words), settling))).toEqual([3, 7, 'partial'])
    expect(figures(settled(reported(0, 7, words), brought(words), { ...settling, inputBytes: 0 }))).toEqual([0, 7, 'provider'])
  })
})

test('what came after the figures is added', () => {
  expect(figures(settled(reported(10, 5, { text: 20 }), brought({ text: 28 }), settling))).toEqual([10, 7, 'partial'])
  expect(figures(settled(reported(10, 5, { text: 20 }), brought({ text: 20 }), settling))).toEqual([10, 5, 'provider'])
})

test('of an answer that broke off no less is charged than what came of it, and no less than was told', () => {
  const all = brought({ text: 800 })
  const broken = { ...settling, isOver: false }
  expect(figures(settled(reported(100, 1, { text: 800 }), all, broken))).toEqual([100, 200, 'partial'])
  expect(figures(settled(reported(100, 1, { text: 800 }), all, settling))).toEqual([100, 1, 'provider'])
  expect(figures(settled(reported(100, 300, { text: 800 }), all, broken))).toEqual([100, 300, 'provider'])
})

test('impossible figures count as missing', () => {
  const scale = { input: () => 1, output: () => 2, isPlausible: () => false }
  expect(settled(reported(100, 50), brought({ text: 8 }), { ...settling, scale })).toMatchObject({
    ...noUsage(),
    in: { fresh: 1 },
    out: { total: 2 },
  })
})

test('text that is told twice counts once, and what only the second telling has counts too', () => {
  const total = (text: number, echoed: number) => settled(undefined, brought({ text, echoed }), settling).out.total
  expect([total(40, 40), total(0, 40), total(40, 0), total(40, 48)]).toEqual([10, 10, 10, 12])
  expect(settled(reported(10, 5, { text: 40, echoed: 40 }), brought({ text: 48, echoed: 48 }), settling).out.total).toBe(7)
})

test('what was told is never changed', () => {
  const reading = reported(10, 5, { text: 4 })
  settled(reading, brought({ text: 400 }), { ...settling, isOver: false })
  expect(reading).toEqual(reported(10, 5, { text: 4 }))
})

test('the last word holds, unless it leaves out a side', () => {
  const last = (...all: [number, number][]) =>
    all.map(([input, out]) => reported(input, out)).reduce<ReportedUsage | undefined>(later, undefined)
  expect(last([10, 5], [10, 8])?.usage.out.total).toBe(8)
  expect(last([10, 8], [10, 5])?.usage.out.total).toBe(5)
  expect(last([10, 5], [10, 0])?.usage.out.total).toBe(5)
  expect(last([10, 5], [0, 8])?.usage.in.fresh).toBe(10)
  expect(later(reported(10, 5), undefined)?.usage.out.total).toBe(5)
})

test('a second of sound is twenty tokens, whatever it is packed in', () => {
  const second = (bytes: number) => 'A'.repeat((bytes * 4) / 3)
  for (const [type, bytes] of [
    [undefined, 48_000],
    ['audio/L16;rate=24000', 48_000],
    ['audio/mpeg', 16_000],
    ['audio/ogg', 8_000],
  ] as const) {
    expect(Math.round(soundTokens(second(bytes), type))).toBe(20)
  }
})

test('a text is counted in bytes, and heard', () => {
  const heard: string[] = []
  const listener = { addText: (text: string) => void heard.push(text) }
  expect([textBytes('日', { listener }), textBytes(7, { listener }), textBytes(undefined, {})]).toEqual([3, 0, 0])
  expect(heard).toEqual(['日'])
})

test('a side that the last word puts at zero is the earlier one, the other side is the last', () => {
  const last = later(reported(10, 5), reported(0, 8))?.usage
  expect([last?.in.fresh, last?.out.total]).toEqual([10, 8])
  const other = later(reported(10, 5), reported(12, 0))?.usage
  expect([other?.in.fresh, other?.out.total]).toEqual([12, 5])
})
