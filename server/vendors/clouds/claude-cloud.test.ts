import { expect, test } from 'bun:test'
import { anthropic } from '../anthropic.ts'
import { bedrock } from './bedrock.ts'
import { vertex } from './vertex.ts'

const claude = 'claude-sonnet-4-5'

test('Claude opens addresses at its maker’s, not in somebody’s cloud; Gemini’s dialect knows by itself', () => {
  const facts = [anthropic, bedrock, vertex].map((vendor) => vendor.capabilities(claude).mediaUrlsRefused)
  expect(facts).toEqual([undefined, true, true])
  expect(vertex.capabilities('gemini-3-pro').mediaUrlsRefused).toBeUndefined()
  expect(bedrock.capabilities(claude)).toEqual({ ...anthropic.capabilities(claude), mediaUrlsRefused: true })
})
