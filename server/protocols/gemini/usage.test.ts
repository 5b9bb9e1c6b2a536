import { describe, expect, test } from 'bun:test'
import { noUsage, type Usage } from '#canonical/usage'
import { nothingDelivered, readUsage, settleUsage, writeUsage } from './usage.ts'

const read = (raw: unknown) => readUsage(raw, nothingDelivered())?.usage

test('T37: cached 40 of 100, thoughts beside candidates, the tools’ own prompt beside the prompt', () => {
  const raw = {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 30,
    toolUsePromptTokenCount: 5,
  }
  for (const totalTokenCount of [155, 150, undefined]) {
    expect(read({ ...raw, totalTokenCount })).toMatchObject({ in: { fresh: 65, cacheRead: 40 }, out: { total: 50, reasoning: 30 } })
  }
})

test('T37: the way back, and what was written to a cache is part of the prompt', () => {
  const usage: Usage = noUsage()
  usage.in.fresh = 3
  usage.in.cacheWrite['5m'] = 12304
  usage.out.total = 550
  expect(writeUsage(usage)).toEqual({ promptTokenCount: 12307, candidatesTokenCount: 550, totalTokenCount: 12857 })
  Object.assign(usage.in, { fresh: 30, cacheRead: 60, cacheWrite: { '5m': 0, '1h': 0, other: 10 }, audio: 5, image: 0 })
  Object.assign(usage.out, { total: 50, reasoning: 30 })
  expect(writeUsage(usage)).toEqual({
    promptTokenCount: 105,
    cachedContentTokenCount: 60,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 30,
    totalTokenCount: 155,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 100 },
      { modality: 'AUDIO', tokenCount: 5 },
    ],
  })
})

test('thoughts inside the candidates are not counted twice', () => {
  expect(read({ promptTokenCount: 10, candidatesTokenCount: 50, thoughtsTokenCount: 30, totalTokenCount: 60 })?.out).toMatchObject({
    total: 50,
    reasoning: 30,
  })
})

test('kinds do not overlap: cached audio is cached, made pictures are part of the answer', () => {
  const usage = read({
    promptTokenCount: 100,
    cachedContentTokenCount: 30,
    promptTokensDetails: [
      { modality: 'AUDIO', tokenCount: 50 },
      { modality: 'IMAGE', tokenCount: 20 },
      { modality: 'TEXT', tokenCount: 30 },
    ],
    cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 30 }],
    candidatesTokenCount: 1300,
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
  })
  expect(usage?.in).toMatchObject({ fresh: 30, cacheRead: 30, audio: 20, image: 20 })
  expect(usage?.out).toMatchObject({ total: 1300, image: 1290 })
})

test('details never exceed what they are details of', () => {
  const usage = read({ promptTokenCount: 10, cachedContentTokenCount: 99, promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 99 }] })
  expect(usage?.in).toMatchObject({ fresh: 0, cacheRead: 10, audio: 0 })
})

describe('figures', () => {
  test('numeric texts and both spellings are read', () => {
    expect(read({ prompt_token_count: '7', candidates_token_count: 2 })).toMatchObject({ in: { fresh: 7 }, out: { total: 2 } })
  })

  test('lies are not believed', () => {
    for (const promptTokenCount of [-1, 1.5, 1e18, 'many', [], {}, true])
      expect(read({ promptTokenCount, candidatesTokenCount: 1 })).toBeUndefined()
    for (const raw of [null, undefined, 5, [], {}, { promptTokenCount: 0 }]) expect(read(raw)).toBeUndefined()
  })
})

describe('what is charged', () => {
  const delivered = { ...nothingDelivered(), text: 40, reasoning: 8, images: 1, searches: 2 }
  const settling = { inputBytes: 12, isOver: true }

  test('nothing reported: an estimate by bytes, a picture at its usual price', () => {
    expect(settleUsage(undefined, delivered, settling)).toMatchObject({
      in: { fresh: 3 },
      out: { total: 12 + 1290, reasoning: 2, image: 1290 },
      units: { searches: 2 },
      provenance: 'estimated',
    })
  })

  test('text after the last figures is added', () => {
    const reading = readUsage({ promptTokenCount: 10, candidatesTokenCount: 5 }, { ...nothingDelivered(), text: 20, images: 1 })
    expect(settleUsage(reading, delivered, settling)).toMatchObject({
      in: { fresh: 10 },
      out: { total: 5 + 7, reasoning: 2 },
      provenance: 'partial',
    })
    expect(reading?.usage.out.total).toBe(5)
  })

  test('an event with prompt tokens only does not report the answer', () => {
    const reading = readUsage({ promptTokenCount: 10 }, { ...nothingDelivered(), text: 40 })
    expect(settleUsage(reading, { ...nothingDelivered(), text: 40 }, settling)).toMatchObject({
      in: { fresh: 10 },
      out: { total: 10 },
      provenance: 'partial',
    })
  })
})
