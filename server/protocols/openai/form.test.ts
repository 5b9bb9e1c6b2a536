import { expect, test } from 'bun:test'
import type { Form, FormFile } from '#canonical/operation/operation'
import { GatewayError } from '#shared/errors'
import { editForm, formField, formFile, formFlag, formOf, formTexts } from './form.ts'

const file = (name: string, size = 3): FormFile => ({
  name,
  filename: 'a.mp3',
  type: 'audio/mpeg',
  size,
  open: () => new Blob(['abc']).stream(),
})
const form = (...parts: Form['parts'][number][]): Form => ({ parts, size: 100 })
const text = (name: string, value: string) => ({ name, value })

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof GatewayError) return `${error.status} ${error.code} ${error.param ?? '-'}`
    throw error
  }
  return 'nothing was thrown'
}

test('fields are read once, and only as what they are', () => {
  const whole = form(text('model', 'm'), file('file'), text('stream', 'True'))
  expect([formField(whole, 'model'), formField(whole, 'other'), formFile(whole, 'file').size, formFlag(whole, 'stream')]).toEqual([
    'm',
    undefined,
    3,
    true,
  ])
  expect(formFlag(form(text('stream', 'false')), 'stream')).toBe(false)
  const wrong: [() => unknown, string][] = [
    [() => formField(form(text('model', 'a'), text('model', 'b')), 'model'), '400 invalid_value model'],
    [() => formField(form(file('model')), 'model'), '400 invalid_value model'],
    [() => formFile(form(), 'file'), '400 missing_field file'],
    [() => formFile(form(text('file', 'x')), 'file'), '400 invalid_value file'],
    [() => formFile(form(file('file', 0)), 'file'), '400 invalid_value file'],
    [() => formFile(form(file('file'), file('file')), 'file'), '400 invalid_value file'],
    [() => formFlag(form(text('stream', '1')), 'stream'), '400 invalid_value stream'],
    [() => formOf('{}'), '415 unsupported_media_type -'],
  ]
  for (const [work, says] of wrong) expect(refusal(work)).toBe(says)
})

test('edits: the model, what the channel declares; everything else stays as and where it is', () => {
  const whole = form(file('file'), text('model', 'a'), text('prompt', 'p'), text('prompt', 'q'))
  expect(editForm(whole, {})).toBe(whole)
  expect(editForm(whole, { model: 'b' }).parts).toEqual([
    text('model', 'b'),
    whole.parts[0],
    whole.parts[2],
    whole.parts[3],
  ] as Form['parts'])
  expect(editForm(whole, { set: { prompt: 'r', temperature: 0.5 }, remove: ['file'] }).parts).toEqual([
    text('prompt', 'r'),
    text('temperature', '0.5'),
    text('model', 'a'),
  ])
})

test('all texts at once, each sent once, with work that grows like their number', () => {
  const whole = form(text('a', '1'), file('image'), text('b[0]', 'x'), text('c', ''))
  expect([...formTexts(whole)]).toEqual([
    ['a', '1'],
    ['c', ''],
  ])
  for (const twice of [form(text('a', '1'), text('a', '1')), form(file('a'), text('a', '1'))]) {
    expect(refusal(() => formTexts(twice))).toBe('400 invalid_value a')
  }
  let reads = 0
  const counted = (at: number) => ({
    get name() {
      reads += 1
      return `k${at}`
    },
    value: 'x',
  })
  formTexts(form(...Array.from({ length: 1_000 }, (_, at) => counted(at))))
  expect(reads).toBeLessThanOrEqual(2_000)
})
