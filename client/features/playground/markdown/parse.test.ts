import { expect, test } from 'bun:test'
import { htmlOf } from './parse.ts'

test('what nests deeper than the parser can follow is no HTML, and no exception', () => {
  expect(htmlOf('>'.repeat(12_000))).toBeUndefined()
  expect(htmlOf('> a')).toContain('<blockquote>')
}, 30_000)

test('raw HTML is text', () => expect(htmlOf('<b>x</b> <script>y')).not.toMatch(/<b>|<script>/))
