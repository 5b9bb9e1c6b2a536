import { describe, expect, test } from 'bun:test'
import type { Capabilities } from '#shared/capabilities'
import { vendors } from '../index.ts'
import { claudeFacts, isClaude } from './claude.ts'
import { geminiFacts } from './gemini.ts'
import { gptFacts } from './gpt.ts'

describe('Claude', () => {
  test('one model under every name that clouds and resellers give it', () => {
    const facts = claudeFacts('claude-opus-4-5')
    expect(facts).toMatchObject({ maxOutputTokens: 64_000, contextTokens: 200_000, budgetOnly: true })
    for (const name of [
      'claude-opus-4-5-20251101',
      'us.anthropic.claude-opus-4-5-20251101-v1:0',
      'anthropic.claude-opus-4-5-20251101-v1:0',
      'claude-opus-4-5@20251101',
      'anthropic/claude-opus-4.5',
    ]) {
      expect(claudeFacts(name)).toEqual(facts)
      expect(isClaude(name)).toBe(true)
    }
  })

  test.each([
    ['claude-opus-5-5', { thinkingAlwaysOn: true, forcedToolRefused: true, samplingRefused: true, prefillRefused: true }],
    ['claude-sonnet-5-5', { thinkingAlwaysOn: true, forcedToolRefused: true }],
    ['claude-fable-5-1', { thinkingAlwaysOn: true, forcedToolRefused: true }],
    ['claude-opus-4-8', { adaptiveOnly: true, samplingRefused: true }],
    ['claude-opus-4-7', { adaptiveOnly: true, noSystemTurns: true }],
    ['claude-sonnet-4-6', { prefillRefused: true, topPWithTemperatureRefused: true, noSystemTurns: true }],
    ['claude-opus-4-1-20250805', { maxOutputTokens: 32_000, topPWithTemperatureRefused: true }],
    ['claude-opus-4-20250514', { maxOutputTokens: 32_000 }],
    ['claude-sonnet-4-20250514', { maxOutputTokens: 64_000, budgetOnly: true }],
    ['claude-3-7-sonnet-20250219', { maxOutputTokens: 64_000, budgetOnly: true }],
    ['claude-3-5-haiku-20241022', { maxOutputTokens: 8192 }],
    ['claude-3-haiku-20240307', { maxOutputTokens: 4096 }],
  ])('%s', (model, facts) => expect(claudeFacts(model)).toMatchObject(facts))

  test.each<[string, keyof Capabilities]>([
    ['claude-haiku-5-5', 'forcedToolRefused'],
    ['claude-opus-5', 'forcedToolRefused'],
    ['claude-opus-5', 'thinkingAlwaysOn'],
    ['claude-opus-4-6', 'samplingRefused'],
    ['claude-haiku-4-5', 'prefillRefused'],
    ['claude-opus-4-8', 'noSystemTurns'],
    ['claude-opus-4-20250514', 'topPWithTemperatureRefused'],
  ])('%s has no %s', (model, fact) => expect(claudeFacts(model)[fact]).toBeUndefined())

  test.each(['', 'gpt-5', 'my-claude', 'notclaude-opus-5', 'claude', 'constructor', 'claude-next-9'])('%p is unknown', (model) => {
    expect(claudeFacts(model)).toEqual({})
  })
})

describe('GPT', () => {
  test('by exact name or dated snapshot only', () => {
    expect(gptFacts('gpt-5').maxOutputTokens).toBe(128_000)
    expect(gptFacts('gpt-5-2025-08-07')).toEqual(gptFacts('gpt-5'))
    expect(gptFacts('gpt-5.5-2026-04-23').contextTokens).toBe(1_050_000)
    for (const model of ['gpt-5-of-mine', 'gpt-5-chat-latest', 'gpt-4o-2024-05-13', 'ft:gpt-4o:x', 'constructor']) {
      expect(gptFacts(model)).toEqual({})
    }
  })

  test('what only reasoning models refuse, and what they alone can do', () => {
    expect(gptFacts('o3')).toMatchObject({ samplingRefused: true })
    expect(gptFacts('gpt-5.1').samplingRefused).toBeUndefined()
    expect(gptFacts('gpt-4.1')).toMatchObject({ reasoningRefused: true })
    expect(gptFacts('gpt-5').reasoningRefused).toBeUndefined()
  })
})

test('only models made for it search the web in Chat', () => {
  for (const model of ['gpt-5', 'gpt-9', 'o3']) expect(vendors.openai.capabilities(model).chatSearchRefused).toBe(true)
  expect(vendors.openai.capabilities('gpt-4o-search-preview').chatSearchRefused).toBeUndefined()
  expect(vendors['azure-openai'].capabilities('gpt-5').chatSearchRefused).toBe(true)
  expect(vendors.groq.capabilities('m').chatSearchRefused).toBe(true)
})

describe('Gemini', () => {
  test.each([
    ['gemini-3.1-pro-preview', { thoughtSignatureRequired: true, thinkingAlwaysOn: true, maxOutputTokens: 65_536 }],
    ['gemini-3-pro', { minimalRefused: true, thinkingAlwaysOn: true }],
    ['models/gemini-3-flash', { thoughtSignatureRequired: true }],
    ['gemini-2.5-flash-lite', { budgetOnly: true, contextTokens: 1_048_576, maxThinkingBudget: 24_576 }],
    ['gemini-2.5-pro', { budgetOnly: true, thinkingAlwaysOn: true, maxThinkingBudget: 32_768 }],
    ['gemini-2.0-flash-001', { maxOutputTokens: 8192, searchBesideToolsRefused: true }],
    ['gemini-1.5-pro', { olderSchema: true }],
    ['gemini-embedding-001', { maxInputs: 100 }],
    ['gemini-3-pro-image', { imageSizes: true }],
    ['imagen-4.0-generate-001', { imageSizes: true }],
  ])('%s', (model, facts) => expect(geminiFacts(model)).toMatchObject(facts))

  test.each(['gemini-2.5-flash-image', 'gemini-2.5-flash-native-audio', 'gemma-3'])('%s is unknown', (model) => {
    expect(geminiFacts(model)).toEqual({})
  })
})

describe('who serves what', () => {
  test('clouds know the models of their owners', () => {
    expect(vendors.vertex.capabilities('claude-opus-5').prefillRefused).toBe(true)
    expect(vendors.vertex.capabilities('gemini-2.5-pro').budgetOnly).toBe(true)
    expect(vendors.bedrock.capabilities('eu.anthropic.claude-haiku-4-5-20251001-v1:0').maxOutputTokens).toBe(64_000)
    expect(vendors['azure-openai'].capabilities('gpt-5').contextTokens).toBe(400_000)
    expect(vendors.demo.capabilities('parley-demo').maxOutputTokens).toBe(4096)
    expect(vendors.parley.capabilities('gpt-5')).toEqual({})
  })

  test('copies of the Chat layout take what all of them take', () => {
    expect(vendors.groq.capabilities('m')).toMatchObject({ legacyMaxTokens: true, customToolsRefused: true, cacheMarksRefused: true })
    expect(vendors.groq.capabilities('m').reasoningEchoed).toBeUndefined()
    expect(vendors.deepseek.capabilities('deepseek-v4-pro').reasoningEchoed).toBe(true)
  })
})
