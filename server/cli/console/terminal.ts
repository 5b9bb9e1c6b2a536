/** The terminal of this process, for the commands of the console. */
import { createInterface } from 'node:readline/promises'
import { environment, printLine } from '#runtime/process'
import { appendOwn, readIfThere, writeOwn } from '#runtime/small-file'
import { CommandError } from './api.ts'
import type { Terminal } from './run.ts'

/** Standard input, output and error. */
export const systemTerminal = (): Terminal => ({
  env: environment(),
  out: printLine,
  error: (text) => void process.stderr.write(`${text}\n`),
  async readText(file) {
    if (file === '-') return readInput()
    const text = await readIfThere(file)
    if (text === undefined) throw new CommandError(`There is no file ${file}.`)
    return text
  },
  async confirm(question) {
    if (!process.stdin.isTTY) return false
    const line = createInterface({ input: process.stdin, output: process.stderr })
    const answer = await line.question(`${question} [y/N] `)
    line.close()
    return /^y(es)?$/i.test(answer.trim())
  },
  files: {
    home: environment().HOME ?? environment().USERPROFILE ?? '.',
    read: async (path) => (await readIfThere(path)) ?? null,
    write: writeOwn,
    append: appendOwn,
  },
})

async function readInput(): Promise<string> {
  let text = ''
  for await (const piece of process.stdin.setEncoding('utf8')) text += piece
  return text
}
