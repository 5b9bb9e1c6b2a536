/** Damaged request bodies: a valid one, changed a few times at random as attackers and broken clients change them. */
import type { Seeded } from '#testing/seeded'

const words = [
  '',
  '0',
  '-1',
  '1e309',
  '9007199254740993',
  'null',
  'true',
  '"x"',
  '[]',
  '{}',
  '{"type":"x"}',
  '"\\ud800"',
  '"\\u0000"',
  '[[[[]]]]',
  '1.5',
] as const
const names = [
  'model',
  'Model',
  'messages',
  'content',
  '__proto__',
  'constructor',
  'toString',
  'length',
  '',
  'type',
  'id',
  'ID',
  'role',
  'tools',
] as const

/** `text` after one to four changes. */
export function mutated(text: string, random: Seeded): string {
  let result = text
  for (let left = 1 + random.below(4); left > 0; left--) result = change(result, random)
  return result
}

function change(text: string, random: Seeded): string {
  const at = random.below(text.length + 1)
  switch (random.below(8)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + random.below(8))
    case 1:
      return `${text.slice(0, at)}${String.fromCharCode(random.below(0x300))}${text.slice(at)}`
    case 2:
      return replaceValue(text, random, random.pick(words))
    case 3:
      return insertField(text, random, `${JSON.stringify(random.pick(names))}:${random.pick(words) || '0'}`)
    case 4:
      return replaceValue(text, random, `${'['.repeat(70)}${']'.repeat(70)}`)
    case 5:
      return replaceValue(text, random, JSON.stringify('x'.repeat(random.below(5_000))))
    case 6:
      return text.replace(/"(\w)(\w*)":/, (_, first: string, rest: string) => `"${first.toUpperCase()}${rest}":`)
    default:
      return insertField(text, random, (/"\w+":(?:"[^"]*"|\d+|true|false|null)/.exec(text.slice(at)) ?? ['"x":1'])[0])
  }
}

/** One of the values that follow a colon, replaced. */
function replaceValue(text: string, random: Seeded, value: string): string {
  const places = [...text.matchAll(/:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|\[|\{)/g)]
  const place = places[random.below(Math.max(1, places.length))]
  if (!place) return text
  const [whole, old = ''] = place
  // A whole list or object is not matched here: the remainder is part of the damage.
  return `${text.slice(0, place.index)}${whole.slice(0, whole.length - old.length)}${value}${text.slice(place.index + whole.length)}`
}

/** A field at the beginning of one of the objects. */
function insertField(text: string, random: Seeded, field: string): string {
  const places = [...text.matchAll(/\{/g)]
  const place = places[random.below(Math.max(1, places.length))]
  return place ? `${text.slice(0, place.index + 1)}${field},${text.slice(place.index + 1)}` : text
}
