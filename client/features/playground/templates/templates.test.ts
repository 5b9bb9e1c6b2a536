import { expect, test } from 'bun:test'
import { fillTemplate, parseTemplates, variablesIn } from './templates.ts'

test('template variables are found and filled in', () => {
  expect(variablesIn('{{a}} {{ b c }} {{a}} {{}} { {d}} {{变量}}')).toEqual(['a', 'b c', '变量'])
  expect(fillTemplate('{{a}} and {{ b }}', { a: '$& {{b}}' })).toBe('$& {{b}} and {{ b }}')
  expect(parseTemplates('[{"name":"n","text":"t","more":1}]')).toEqual([{ name: 'n', text: 't' }])
  for (const bad of ['', '{}', '[1]', '[{"name":1,"text":""}]']) expect(parseTemplates(bad)).toBeUndefined()
})
