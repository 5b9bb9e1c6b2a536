import { expect, test } from 'bun:test'
import { testCandidate, testChannel } from '#testing/candidate'
import { vendors } from '#vendors/index'
import { outgoing } from './outgoing.ts'

const body = JSON.stringify({ model: 'claude-opus-5-5', messages: [] })

test('Claude in Vertex: the model goes into the path, but stays in the body where tokens are counted', () => {
  const channel = testChannel('vertex', { vendor: vendors.vertex, baseUrl: vendors.vertex.baseUrl ?? '', options: { project: 'acme' } })
  const candidate = { ...testCandidate(channel, null, 'claude-opus-5-5'), dialect: 'messages' as const }
  const sent = (operation: 'generate' | 'count-tokens') =>
    JSON.parse(String(outgoing({ operation, stream: false, version: '1' }, candidate, body).body))
  expect(sent('generate')).toEqual({ messages: [], anthropic_version: 'vertex-2023-10-16' })
  expect(sent('count-tokens')).toEqual({ model: 'claude-opus-5-5', messages: [], anthropic_version: 'vertex-2023-10-16' })
})

test('Bedrock: what Messages needs there is no part of Converse', () => {
  const channel = testChannel('bedrock', { vendor: vendors.bedrock, baseUrl: vendors.bedrock.baseUrl ?? '' })
  const sent = (model: string) =>
    outgoing(
      { operation: 'generate', stream: true, version: '1' },
      { ...testCandidate(channel, null, model), dialect: 'messages' },
      '{"messages":[]}',
    )
  expect(String(sent('anthropic.claude-opus-4-5-v1:0').body)).toContain('anthropic_version')
  expect([sent('amazon.nova-lite-v1:0').body, sent('amazon.nova-lite-v1:0').url]).toEqual([
    '{"messages":[]}',
    expect.stringMatching(/converse-stream$/),
  ])
})
