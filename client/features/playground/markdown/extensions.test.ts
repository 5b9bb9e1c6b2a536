import { describe, expect, test } from 'bun:test'
import { Marked } from 'marked'
import { threadNow } from '#testing/thread-time'
import { markdownExtensions } from './extensions.ts'

const marked = new Marked({ gfm: true, breaks: true, async: false })
marked.use(markdownExtensions)
const html = (text: string) => marked.parse(text) as string

describe('formulas', () => {
  test.each([
    ['a \\(x+1\\) b', '<span data-math="inline">x+1</span>'],
    ['a \\[x+1\\] b', '<span data-math="inline">x+1</span>'],
    ['a $x_1$ b', '<span data-math="inline">x_1</span>'],
    ['\\[\nx\n\\]', '<p><span data-math="block">x</span></p>'],
    ['$$\nx\n$$\nafter', '<p><span data-math="block">x</span></p>'],
    ['before\n\\[ x \\]\nafter', '<span data-math="block">x</span>'],
  ])('%j', (text, wanted) => {
    expect(html(text)).toContain(wanted)
  })
  test.each(['costs $5 and $6', '\\[ never', '\\(a\nb\\)', 'a $ b $ c'])('%j has none', (text) => {
    expect(html(text)).not.toContain('data-math')
  })
  test('a formula after a few unclosed marks is found', () => {
    expect(html(`${'\\[ '.repeat(20)} and $x$`)).toContain('<span data-math="inline">x</span>')
  })
})

test('thousands of unclosed marks cost at most a few times as much as other text of their length', () => {
  const time = (mark: string) => {
    const text = mark.repeat(4_000 / mark.length)
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < 5; round++) {
      const started = threadNow()
      html(text)
      best = Math.min(best, threadNow() - started)
    }
    return best
  }
  const usual = time('*a')
  for (const mark of ['\\[', '\\(', '$$', '$a', '[^1']) expect(time(mark) / usual).toBeLessThan(15)
})
