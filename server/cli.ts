/** Parley's command line. Each command has its own file in `cli/`. */

import { books, usage as booksUsage } from '#cli/books'
import { database, usage as databaseUsage } from '#cli/db'
import { route, usage as routeUsage } from '#cli/route'
import { fail, keepFilesPrivate } from '#runtime/process'

keepFilesPrivate()
const [command, ...args] = process.argv.slice(2)
if (command === 'route') await route(args)
else if (command === 'db') await database(args)
else if (command === 'books') await books(args)
else fail(`Usage:\n\n${routeUsage}\n\n${databaseUsage}\n\n${booksUsage}`)
