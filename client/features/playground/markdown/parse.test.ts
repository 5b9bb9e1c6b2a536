import { expect, spyOn, test } from 'bun:test'
import { Tokenizer } from 'marked'
import { htmlOf } from './parse.ts'

test('what the parser cannot follow is no HTML, and no exception', () => {
  const overflows = spyOn(Tokenizer.prototype, 'heading').mockImplementation(() => {
    throw new RangeError('Maximum call stack size exceeded.')
  })
  expect(htmlOf('# a')).toBeUndefined()
  overflows.mockRestore()
  // Quotes are no way to that.
  expect(htmlOf('>'.repeat(12_000))?.startsWith('<blockquote>')).toBeTrue()
  expect(htmlOf('> a')).toContain('<blockquote>')
})

test('raw HTML is text', () => expect(htmlOf('<b>x</b> <script>y')).not.toMatch(/<b>|<script>/))
