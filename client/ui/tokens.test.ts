/** Contrast of both themes by WCAG 2.2: 4.5 to 1 for text, 3 to 1 for edges and meaningful marks. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'

const text = readFileSync(`${import.meta.dir}/tokens.css`, 'utf8')
const pairs = Object.fromEntries(
  [...text.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g)].map(([, name = '', light = '', dark = '']) => [name, [light, dark]]),
)

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** `front on back`, where that is below `least`, in the theme. */
const tooFaint = (fronts: readonly string[], backs: readonly string[], least: number): string[] =>
  fronts.flatMap((front) =>
    backs.flatMap((back) =>
      ['light', 'dark'].flatMap((theme, at) => {
        const found = contrast(pairs[front]?.[at] ?? '', pairs[back]?.[at] ?? '')
        return found >= least ? [] : [`${front} on ${back}, ${theme}: ${found.toFixed(2)}`]
      }),
    ),
  )

test('text is readable on every surface it is used on', () => {
  expect(Object.keys(pairs).length).toBeGreaterThan(30)
  expect(tooFaint(['text', 'text-2', 'text-3', 'accent'], ['bg', 'surface', 'raised', 'code'], 4.5)).toEqual([])
  expect(tooFaint(['syntax-word', 'syntax-string', 'syntax-number', 'syntax-name'], ['code'], 4.5)).toEqual([])
  for (const kind of ['ok', 'warn', 'bad', 'info']) expect(tooFaint([kind], ['surface', `${kind}-soft`], 4.5)).toEqual([])
  expect(tooFaint(['on-accent'], ['accent'], 4.5)).toEqual([])
  expect(tooFaint(['on-ink'], ['ink'], 4.5)).toEqual([])
})

test('field edges, the focus ring and disabled controls stand out from their background', () => {
  expect(tooFaint(['control', 'accent', 'off'], ['bg', 'surface', 'raised'], 3)).toEqual([])
})
