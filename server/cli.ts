#!/usr/bin/env bun
/** Parley's command line. Each command has its own file in `cli/`; those that steer a running Parley are in `cli/console`. */

import { version } from '#app/version'
import { books, usage as booksUsage } from '#cli/books'
import { commands, helpOf, isConsoleCommand, runConsoleCommand } from '#cli/console/run'
import { systemTerminal } from '#cli/console/terminal'
import { database, usage as databaseUsage } from '#cli/db'
import { ready, usage as readyUsage } from '#cli/ready'
import { route, usage as routeUsage } from '#cli/route'
import { exit, fail, keepFilesPrivate, printLine } from '#runtime/process'

keepFilesPrivate()
/** Commands with files of their own. */
const own: Readonly<Record<string, { run(args: string[]): Promise<void>; usage: string }>> = {
  route: { run: route, usage: routeUsage },
  db: { run: database, usage: databaseUsage },
  books: { run: books, usage: booksUsage },
  ready: { run: ready, usage: readyUsage },
  version: { run: async () => printLine(version), usage: 'parley version\n\nPrints the version.' },
}
const usages = Object.values(own).map(({ usage }) => usage)
const whole = `Usage:\n\n${[helpOf(commands), ...usages].join('\n\n')}`

const isHelpFlag = (word: string | undefined) => word === '--help' || word === '-h'
const isHelp = (word: string | undefined) => word === 'help' || isHelpFlag(word)
const ownNamed = (word: string | undefined) => (word !== undefined && Object.hasOwn(own, word) ? own[word] : undefined)
const words = process.argv.slice(2)
const [command, ...args] = words
const topic = isHelp(command) ? ownNamed(args[0]) : args.some(isHelpFlag) ? ownNamed(command) : undefined
if (topic !== undefined) printLine(`Usage:\n\n${topic.usage}`)
else if (isHelp(command) && args.length === 0) printLine(whole)
else if (ownNamed(command)) await ownNamed(command)?.run(args)
else if (isConsoleCommand(command)) exit(await runConsoleCommand(words, systemTerminal()))
else if (command === '--version') printLine(version)
else if (command === undefined) fail(whole, 2)
else fail(`parley: There is no command ${command}. \`parley help\` lists them.`, 2)
