/**
 * `parley db`: copies, backs up, restores, verifies and migrates a database. Works on the database directly, so Parley need not be
 * running.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from '#app/config'
import { aboutMasterKey } from '#app/master-key'
import { systemClock as clock } from '#runtime/clock'
import { isFile } from '#runtime/folder'
import { environment, exit, fail, printLine } from '#runtime/process'
import { migrate, namesOf, pendingMigrations } from '#store/engine/migrate'
import type { Db } from '#store/engine/store'
import { openBackup, writeBackup } from '#store/schema-moves/backup'
import { newestBackup } from '#store/schema-moves/backups'
import { load } from '#store/schema-moves/load'
import { isThere, nameOf, type Place, placeOf, withDatabase, withEmpty } from '#store/schema-moves/location'
import type { Contents, Snapshot } from '#store/schema-moves/snapshot'
import { withSnapshot } from '#store/schema-moves/snapshot'
import { booksText } from './books.ts'
import { drill } from './drill.ts'

/** Help text of `parley db`. */
export const usage = `bun server/cli.ts db copy --from WHERE --to WHERE [--replace everything]
bun server/cli.ts db backup FILE [--from WHERE]
bun server/cli.ts db restore FILE [--to WHERE] [--replace everything]
bun server/cli.ts db verify [WHERE | FILE]
bun server/cli.ts db drill [FILE]
bun server/cli.ts db migrate [--at WHERE] [--dry-run]

WHERE is the URL of a PostgreSQL database or a data folder. Default: DATABASE_URL, else PARLEY_DATA.
drill restores FILE (default: the newest in PARLEY_BACKUPS) into a temporary database, checks its books and removes it again.
The target must be empty, unless --replace everything allows deleting its contents.
The master key is not in the database: copy master.key from the data folder (or PARLEY_MASTER_KEY) as well.`

const text = { type: 'string' } as const
const options = { from: text, to: text, at: text, replace: text, 'dry-run': { type: 'boolean' } } as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
type Command = (values: Values, names: string[], config: Config) => Promise<void>

/** Each command with its flags and its minimum and maximum number of positional arguments. */
const commands: Record<string, { flags: readonly (keyof typeof options)[]; names: [least: number, most: number]; run: Command }> = {
  copy: { flags: ['from', 'to', 'replace'], names: [0, 0], run: copy },
  backup: { flags: ['from'], names: [1, 1], run: backup },
  restore: { flags: ['to', 'replace'], names: [1, 1], run: restore },
  verify: { flags: [], names: [0, 1], run: verify },
  drill: { flags: [], names: [0, 1], run: runDrill },
  migrate: { flags: ['at', 'dry-run'], names: [0, 0], run: applyMigrations },
}

/** Runs the command and exits: 0 on success; 1 with one line about the failure, after which nothing has changed. */
export async function database([command = '', ...args]: string[]): Promise<void> {
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined
  if (!known) return fail(`Usage:\n\n${usage}`, 2)
  const { values, positionals } = readArguments(args)
  const strange = Object.keys(values).some((flag) => !known.flags.includes(flag as keyof typeof options))
  const [least, most] = known.names
  if (strange || positionals.length < least || positionals.length > most) return fail(`Usage:\n\n${usage}`, 2)
  try {
    await known.run(values, positionals, readConfig(environment()))
  } catch (thrown) {
    return fail(`parley db ${command}: ${reason(thrown)}`)
  }
  exit(0)
}

function readArguments(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch {
    return fail(`Usage:\n\n${usage}`, 2)
  }
}

const usual = ({ databaseUrl, dataFolder }: Config): string => databaseUrl ?? dataFolder

async function copy({ from, to, replace }: Values, _: string[], config: Config): Promise<void> {
  if (from === undefined || to === undefined) throw new Error('both --from and --to are required')
  const [source, target] = [placeOf(from), placeOf(to)]
  if (resolve(source.where) === resolve(target.where)) throw new Error('--from and --to are the same')
  await withDatabase(source, (db) => withSnapshot(db, (snapshot) => fill(target, snapshot, mayReplace(replace), config)))
  printLine(`Copied ${nameOf(source)} to ${nameOf(target)}: the checksums of all tables match.`)
}

async function backup({ from }: Values, [file = '']: string[], config: Config): Promise<void> {
  const source = placeOf(from ?? usual(config))
  await withDatabase(source, (db) =>
    withSnapshot(db, async (snapshot) => {
      await writeBackup(file, snapshot, new Date(clock.now()).toISOString())
      list(snapshot)
    }),
  )
  printLine(`Backed up ${nameOf(source)} to ${file}. The master key is not in it: store it separately.`)
}

async function restore({ to, replace }: Values, [file = '']: string[], config: Config): Promise<void> {
  const target = placeOf(to ?? usual(config))
  const found = await openBackup(file)
  await fill(target, found, mayReplace(replace), config)
  printLine(`Restored ${nameOf(target)} to its state at ${found.at}: the checksums of all tables match.`)
}

function mayReplace(word: string | undefined): boolean {
  if (word !== undefined && word !== 'everything') throw new Error('--replace accepts only the word: everything')
  return word !== undefined
}

async function fill(target: Place, snapshot: Snapshot, replace: boolean, config: Config): Promise<void> {
  const filling = async (tx: Db) => {
    const { leftOut } = await load(tx, snapshot, printLine)
    return { leftOut, about: await aboutMasterKey(tx, keyFolder(target, config), config.masterKey) }
  }
  const { leftOut, about } = await withEmpty(target, replace, filling, snapshot.mark)
  list(snapshot, leftOut)
  if (about.fits === false) printLine(`WARNING: ${about.line}`)
}

async function verify(_: Values, [name]: string[], config: Config): Promise<void> {
  const where = name ?? usual(config)
  if (await isFile(where)) return verifyFile(where)
  const place = placeOf(where)
  await withDatabase(place, async (db) => {
    await withSnapshot(db, async (snapshot) => list(snapshot))
    const pending = await pendingMigrations(db)
    if (pending.length > 0) printLine(`Starting this version of Parley would apply these migrations: ${pending.join(', ')}`)
    const { fits, line } = await aboutMasterKey(db, keyFolder(place, config), config.masterKey)
    printLine(fits === false ? `WARNING: ${line}` : line)
  })
}

async function verifyFile(file: string): Promise<void> {
  const found = await openBackup(file)
  // Reading the file to its end verifies it.
  for await (const _ of found.batches());
  list(found)
  printLine(`${file} is complete and intact. It was made at ${found.at}.`)
}

async function runDrill(_: Values, [name]: string[], config: Config): Promise<void> {
  if (name === undefined && config.backupFolder === undefined) throw new Error('name a file, or set PARLEY_BACKUPS')
  const file = name ?? (await newestBackup(config.backupFolder ?? ''))
  const { at, tables, rows, restoreMs, books, masterKey } = await drill(file, config)
  printLine(
    `${file} was made at ${at}: restored ${rows} rows of ${tables} tables in ${(restoreMs / 1000).toFixed(1)} s, with their checksums.`,
  )
  printLine(booksText(books))
  printLine(masterKey.fits === false ? `WARNING: ${masterKey.line}` : masterKey.line)
  if (!books.exact || masterKey.fits === false) throw new Error('the restored database is not in order')
}

async function applyMigrations({ at, 'dry-run': dry }: Values, _: string[], config: Config): Promise<void> {
  const place = placeOf(at ?? usual(config))
  if (!(await isThere(place)))
    return printPending(await namesOf(0), 'There is no database yet. Starting Parley would create it with these migrations')
  await withDatabase(place, async (db) => {
    const pending = await pendingMigrations(db)
    printPending(pending, dry ? 'Starting Parley would apply' : 'Applying')
    if (!dry) await migrate(db, () => {})
  })
}

function printPending(names: readonly string[], how: string): void {
  printLine(names.length === 0 ? 'No migrations are pending: the schema matches this version of Parley.' : `${how}:\n${names.join('\n')}`)
}

/** The folder with the master key: the embedded database's own, or this machine's data folder for PostgreSQL. */
const keyFolder = ({ engine, where }: Place, { dataFolder }: Config) => (engine === 'embedded' ? where : dataFolder)

function list({ tables }: Contents, leftOut: readonly string[] = []): void {
  const width = Math.max(...tables.map(({ name }) => name.length))
  for (const { name, rows, sum } of tables) {
    const note = leftOut.includes(name) ? ' LEFT OUT: not one of Parley’s tables' : ''
    printLine(`${name.padEnd(width)} ${String(rows).padStart(10)} rows  ${sum}${note}`)
  }
}

/** The database's own message, which is the cause of the error about the failed statement. */
function reason(thrown: unknown): string {
  let at = thrown
  while (at instanceof Error && at.cause instanceof Error && /^Failed query|^The accounts cannot/.test(at.message)) at = at.cause
  return (at instanceof Error ? at.message : String(at)).split('\n')[0] ?? ''
}
