import { expect, test } from 'bun:test'
import { asMarkdown } from './markdown.ts'

const answer = { text: 'It left.', calls: [{ name: 'f', args: '{"a":"```"}' }], finish: 'stop', error: null }

test('the figures are a table, and answers follow under the names of their models', () => {
  const lines = [{ label: 'Cost', original: '$0.02', replays: [{ text: '$0.01', note: '−50%' }], best: [1] }]
  expect(asMarkdown(['Figure', 'a|b', 'c'], lines, [{ name: 'c', answer }])).toBe(
    [
      '| Figure | a\\|b | c |',
      '| --- | --- | --- |',
      '| Cost | $0.02 | $0.01 (−50%) |',
      '',
      '## c',
      '',
      'It left.',
      '',
      '````',
      'f {"a":"```"}',
      '````',
      '',
    ].join('\n'),
  )
  expect(asMarkdown(['Figure'], [], [{ name: 'c', answer: null }])).toBe('| Figure |\n| --- |\n')
})
