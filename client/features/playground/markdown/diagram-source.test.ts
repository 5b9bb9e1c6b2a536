import { expect, test } from 'bun:test'
import { renderMermaidSVG } from 'beautiful-mermaid'
import { plainSource } from './diagram-source.ts'

test('flowcharts are drawn as models write them: semicolons, front matter, no direction', () => {
  for (const source of [
    'graph TD; A-->B; B-->C;',
    'graph TD;\n  A-->B;\n  B-->C;',
    '---\ntitle: Tides\n---\ngraph TD\nA-->B',
    '%% a note\nflowchart\nA-->B',
    'graph\nA-->B',
  ])
    expect(renderMermaidSVG(plainSource(source))).toContain('<svg')
})

test('a semicolon of a label stays, and other diagrams stay as they are', () => {
  expect(plainSource('graph TD; A["a;b"] -->|x;y| B(c;d);')).toBe('graph TD\nA["a;b"] -->|x;y| B(c;d)\n')
  const sequence = 'sequenceDiagram\nA->>B: hi; there'
  expect(plainSource(sequence)).toBe(sequence)
})
