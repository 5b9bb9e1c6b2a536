/** Parley's command line: one file per command, `cli-*.ts`. */
import { fail } from '#runtime/process'
import { database, usage as databaseUsage } from './cli-db.ts'
import { route, usage as routeUsage } from './cli-route.ts'

const [command, ...args] = process.argv.slice(2)
if (command === 'route') await route(args)
else if (command === 'db') await database(args)
else fail(`Usage:\n\n${routeUsage}\n\n${databaseUsage}`)
