import { expect, spyOn, test } from 'bun:test'
import { Tokenizer } from 'marked'
import { htmlOf } from './parse.ts'

test('too deep nesting gives neither HTML nor an exception', () => {
  const overflows = spyOn(Tokenizer.prototype, 'heading').mockImplementation(() => {
    throw new RangeError('Maximum call stack size exceeded.')
  })
  expect(htmlOf('# a')).toBeUndefined()
  overflows.mockRestore()
  // Quotes do not cause it.
  expect(htmlOf('>'.repeat(12_000))?.startsWith('<blockquote>')).toBeTrue()
  expect(htmlOf('> a')).toContain('<blockquote>')
})

test('raw HTML is text', () => expect(htmlOf('<b>x</b> <script>y')).not.toMatch(/<b>|<script>/))
