#!/usr/bin/env bun
/** Parley's command line. Each command has its own file in `cli/`; those that steer a running Parley are in `cli/console`. */

import { books, usage as booksUsage } from '#cli/books'
import { commands, helpOf, isConsoleCommand, runConsoleCommand } from '#cli/console/run'
import { systemTerminal } from '#cli/console/terminal'
import { database, usage as databaseUsage } from '#cli/db'
import { ready, usage as readyUsage } from '#cli/ready'
import { route, usage as routeUsage } from '#cli/route'
import { exit, fail, keepFilesPrivate } from '#runtime/process'

keepFilesPrivate()
const [command, ...args] = process.argv.slice(2)
if (command === 'route') await route(args)
else if (command === 'ready') await ready(args)
else if (command === 'db') await database(args)
else if (command === 'books') await books(args)
else if (isConsoleCommand(command)) exit(await runConsoleCommand(process.argv.slice(2), systemTerminal()))
else fail(`Usage:\n\n${helpOf(commands)}\n\n${routeUsage}\n\n${databaseUsage}\n\n${booksUsage}\n\n${readyUsage}`, 2)
