import { expect, test } from 'bun:test'
import { withCounts } from './counts.ts'

test('only the names of the figures change; everything else stays as the upstream wrote it', () => {
  const call = '{ "toolCall": {"functionCalls":[{"id":"1","name":"look","args":{"id":12345678901234567890,"share":1.0}}]},'
  const cloud = `${call} "usageMetadata": {"promptTokenCount":5,"candidatesTokenCount":7,"share":1.0} }`
  const api = `${call} "usageMetadata": {"promptTokenCount":5,"responseTokenCount":7,"share":1.0} }`
  expect(withCounts(cloud, 'cloud')).toBe(api)
  expect(withCounts(api, 'api')).toBe(cloud)
  for (const other of [`${call} "a": 1}`, '{"usageMetadata":3}', '{"usageMetadata":{}', '[{"usageMetadata":{}}]'])
    expect(withCounts(other, 'cloud')).toBeUndefined()
})
