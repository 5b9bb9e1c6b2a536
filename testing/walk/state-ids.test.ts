/**
 * State in upstream accounts (CONTRACT 5): every field of the installed SDKs' requests that may refer to something has an owner, is
 * refused, or is in `no-state.txt` with the reason why it is no state.
 */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { namedFields } from './state-ids.ts'

const reviewed = readFileSync(join(import.meta.dir, 'no-state.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

const fields = await namedFields()

test('no field that may refer to state goes upstream unreviewed', () => {
  const passing = [...fields].flatMap(([field, outcome]) => (outcome === 'passes' ? [field] : []))
  expect(passing.filter((field) => !reviewed.includes(field))).toEqual([])
  expect(reviewed.filter((field) => !passing.includes(field))).toEqual([])
})

test.each([
  'responses previous_response_id',
  'responses input[additional_tools].tools[code_interpreter].container',
  'responses tools[mcp].tunnel_id',
  'responses tools[file_search].vector_store_ids[]',
  'messages user_profile_id',
  'messages workspace_id',
  'chat audio.voice[ID].id',
  'speak voice[ID].id',
  'gemini config.cachedContent',
])('%s has an owner', (field) => {
  expect(fields.get(field)).toBe('owned')
})
