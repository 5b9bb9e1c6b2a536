import { expect, test } from 'bun:test'
import type { Operation } from '#shared/ids'
import { substituteModel } from './sample-model.ts'

const model = (id: string, ...operations: Operation[]) => ({ id, operations })
const real = [model('embed-3', 'embed'), model('gpt-5', 'generate', 'count-tokens'), model('gpt-6', 'generate')]

test('a sample names the first model that does the same', () => {
  expect(substituteModel('{"model": "parley-demo"}', real)).toEqual(['parley-demo', 'gpt-5'])
  expect(substituteModel('{"model": "parley-demo-embed"}', real)).toEqual(['parley-demo-embed', 'embed-3'])
  expect(substituteModel('/v1beta/models/parley-demo:generateContent', real)).toEqual(['parley-demo', 'gpt-5'])
})

test('it stays where the demo is there, where nothing does the same, and where it names no model', () => {
  expect(substituteModel('{"model": "parley-demo"}', [...real, model('parley-demo', 'generate')])).toBeUndefined()
  expect(substituteModel('{"model": "parley-demo-image"}', real)).toBeUndefined()
  expect(substituteModel('{"input": "x"}', real)).toBeUndefined()
})
