/** Files of other programs: written once, undone without a trace, and never damaged. */
import { describe, expect, test } from 'bun:test'
import { agentNames, agents, type Part } from './agents.ts'
import { takenBack, written } from './edit.ts'

const post = { url: 'https://ai.example.com', key: 'sk-key', model: 'gpt', smallModel: 'mini' }
const own = '{\n    "theme": "dark", "env": { "MINE": "1", "ANTHROPIC_MODEL": "opus" }, "security": { "auth": {} }\n}'
const parts = agentNames.flatMap((name) => agents[name].parts(post).map((part): [string, Part] => [`${name}: ${part.file}`, part]))

describe.each(parts)('%s', (_, part) => {
  const befores = 'json' in part ? [null, '{}', own] : [null, '', 'model = "mine"\n', '[model_providers.mine]\nname = "x"']

  test('written twice is written once, and taken back byte for byte', () => {
    for (const before of befores) {
      const once = written(part, before)
      expect(written(part, once)).toBe(once)
      expect(takenBack(part, once, { text: before })).toBe(before)
    }
  })

  test('what somebody changed since stays', () => {
    for (const before of befores) {
      const once = written(part, before)
      const theirs = 'json' in part ? JSON.stringify({ ...JSON.parse(once), later: [1] }) : `later = 1\n${once}`
      const back = takenBack(part, theirs, { text: before }) ?? ''
      expect(back).toContain('later')
      expect(back).not.toContain('ai.example.com')
      expect(back).not.toContain('sk-key')
      if ('json' in part && before === own) expect(JSON.parse(back)).toEqual({ ...JSON.parse(own), later: [1] })
    }
  })
})

test('a file that is not plain JSON is left alone', () => {
  const [part] = agents.claude.parts(post)
  expect(() => part && written(part, '{ // mine\n}')).toThrow('.claude/settings.json is not plain JSON')
})

test('what somebody set to something else since is theirs', () => {
  const [part] = agents.claude.parts(post)
  if (!part) throw new Error('there is a part')
  const changed = written(part, null).replace('https://ai.example.com', 'https://other.example.com')
  expect(JSON.parse(takenBack(part, changed, { text: null }) ?? '')).toEqual({ env: { ANTHROPIC_BASE_URL: 'https://other.example.com' } })
})
