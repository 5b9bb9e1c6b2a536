/** The names in an upstream's list of models, whichever of the known layouts it has. */
import { isObject } from '#shared/json'

const most = 10_000

/** Sorted, without duplicates. Undefined if this is not such a list. */
export function readModelNames(body: string): string[] | undefined {
  const list = listIn(parsed(body))
  if (!list) return undefined
  const names = list.slice(0, most).map((entry) => (isObject(entry) ? (entry.id ?? entry.name) : entry))
  const words = names.filter((name) => typeof name === 'string').map((name) => name.replace(/^models\//, ''))
  return [...new Set(words.filter((name) => /^[^\p{Cc}]{1,256}$/u.test(name)))].sort()
}

/** OpenAI and Anthropic use `data`, Google uses `models`, and a few send the bare list. */
function listIn(answer: unknown): unknown[] | undefined {
  if (Array.isArray(answer)) return answer
  if (!isObject(answer)) return undefined
  return [answer.data, answer.models].find(Array.isArray)
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
