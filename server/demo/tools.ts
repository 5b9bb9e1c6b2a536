/** Chooses which tools the demo model calls and their arguments: enough to show a tool loop end to end. */
import type { DemoCall, DemoPrompt, DemoTool } from './prompt.ts'
import { sample } from './sample.ts'

/** The calls for a user's message: the best matching tool, once per place named, or every tool mentioned by name. */
export function chooseCalls(prompt: DemoPrompt): DemoCall[] {
  const offered = prompt.tools.filter((tool) => prompt.callable.includes(tool.name))
  const text = prompt.text.slice(0, 4000)
  const named = offered.filter((tool) => text.includes(tool.name))
  const [first] = named.length > 0 ? named : [...offered].sort((a, b) => fit(b, text) - fit(a, text))
  if (first === undefined) return []
  const places = placesIn(text)
  if (prompt.parallel && named.length > 1) return named.map((tool) => callOf(tool, text, places[0]))
  if (prompt.parallel && places.length > 1 && takesPlace(first)) return places.map((place) => callOf(first, text, place))
  return [callOf(first, text, places[0])]
}

function callOf(tool: DemoTool, text: string, place: string | undefined): DemoCall {
  const number = /\d+/.exec(text)?.[0]
  const value = sample(tool.parameters, (field) => {
    if (placeField.test(field)) return place ?? 'Paris'
    if (/count|number|amount/i.test(field)) return number
    // Coding agents run it: user text must not become a command.
    if (commandField.test(field)) return harmless
    return text === '' ? undefined : text.slice(0, 300)
  })
  return { tool: tool.name, arguments: JSON.stringify(value ?? {}) }
}

const commandField = /^(?:cmd|commands?|script|code|shell)$/i
const harmless = 'echo Hello from the demo model'
const placeField = /city|cities|location|place|where|town|country|address|destination/i
const takesPlace = (tool: DemoTool) => placeField.test(JSON.stringify(tool.parameters ?? {}))

/** How many longer words of the tool's name and description occur in the message. */
function fit(tool: DemoTool, text: string): number {
  const spoken = new Set(wordsOf(text))
  return wordsOf(`${tool.name} ${tool.description}`).filter((word) => spoken.has(word)).length
}

const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(/\p{L}{4,}/gu) ?? [])]

const name = "\\p{Lu}[\\p{L}’'-]*(?: \\p{Lu}[\\p{L}’'-]*)*"
const listed = new RegExp(
  `\\b(?:in|for|at|of|between|from|near)\\s+((?:${name})(?:(?:\\s*,\\s*(?:and\\s+|or\\s+)?|\\s+(?:and|or)\\s+)(?:${name}))*)`,
  'u',
)
const chineseListed = /(\p{Script=Han}{2,4}?)(?:和|与|、)(\p{Script=Han}{2,4}?)(?:的|今天|明天|现在|天气|$)/u
const chineseSingle = /^(?:请问|查询|查一下|在)?(\p{Script=Han}{2,3}?)(?:的|今天|明天|现在|天气)/u

/** Names of places in a message, at most eight: "in Paris, Rome and New York", “巴黎和伦敦的天气”. */
export function placesIn(text: string): string[] {
  const list = listed.exec(text)?.[1]
  if (list !== undefined) return [...new Set(list.split(/\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+/))].slice(0, 8)
  const chinese = chineseListed.exec(text) ?? chineseSingle.exec(text)
  return chinese === null ? [] : chinese.slice(1).map((place) => place.replace(/^(?:请问|查询|查一下|在)/, ''))
}
