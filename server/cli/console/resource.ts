/** The commands that most kinds of rows have: list, show, create, set, delete, and credit for those with a wallet. */
import { type Api, CommandError } from './api.ts'
import { type Column, type Command, enabledOf, type Flag, facts, type Input, named, pick, queryOf, switchFlags, table } from './command.ts'

/** A row that can be named by id or name. */
interface Named {
  id: string
  name: string
}

type Flags = Readonly<Record<string, Flag>>
/** The fields of the API that the flags of a command name; `row` is the one to change, if any. */
type FieldsOf<Row> = (input: Input, row?: Row) => object | Promise<object>

/** A list of the API. */
export interface List<Row> {
  /** One of its rows: `key`, for the commands `keys list` and so on. */
  noun: string
  /** `/api/keys` */
  path: string
  columns: readonly Column<Row>[]
}

/** A list whose rows have names. */
export interface Resource<Row extends Named> extends List<Row> {
  /** The rows among which the one with this id or name is; all of `path` when absent. */
  search?(api: Api, word: string): Promise<Row[]>
}

/** The row that the first argument names. Throws CommandError. */
export async function rowOf<Row extends Named>(of: Resource<Row>, { api, args: [word = ''] }: Input): Promise<Row> {
  return named(await (of.search ? of.search(api, word) : api.list<Row>(of.path)), word)
}

/** The address of that row. Throws CommandError. */
export const addressOf = async <Row extends Named>(of: Resource<Row>, input: Input): Promise<string> =>
  addressIn(of, (await rowOf(of, input)).id)

const addressIn = ({ path }: { path: string }, id: string) => `${path}/${encodeURIComponent(id)}`

/** `keys list`. Each of `flags` is a parameter of the list. */
export const listCommand = <Row>({ noun, path, columns }: List<Row>, help: string, flags: Flags = {}): Command => ({
  words: `${noun}s list`,
  flags,
  help,
  async run({ api, flags: given }) {
    const rows = await api.list<Row>(`${path}${queryOf(pick(given, Object.keys(flags)))}`)
    return { value: rows, text: table(rows, columns, `No ${noun}s.`) }
  },
})

/** `keys show` */
export const showCommand = <Row extends Named>(of: Resource<Row>): Command => ({
  words: `${of.noun}s show`,
  args: [of.noun.toUpperCase()],
  help: `One ${of.noun}, by id or name`,
  async run(input) {
    const row = await rowOf(of, input)
    return { value: row, text: facts(row) }
  },
})

/** `users create` */
export const createCommand = <Row>({ noun, path, columns }: List<Row>, flags: Flags, fieldsOf: FieldsOf<Row>): Command => ({
  words: `${noun}s create`,
  args: ['NAME'],
  flags,
  help: `Creates a ${noun}`,
  async run(input) {
    const row = await input.api.call<Row>('POST', path, { ...(await fieldsOf(input)), name: input.args[0] })
    return { value: row, text: table([row], columns, '') }
  },
})

/** The help of a `set` with flags for a budget and limits. */
export const changes = (noun: string): string => `Changes a ${noun}; budgets and limits that are not named stay, none removes one`

/** `keys set`: the flags, a new name, and switching on and off. */
export const setCommand = <Row extends Named>(
  of: Resource<Row>,
  flags: Flags,
  fieldsOf: FieldsOf<Row>,
  help = `Changes a ${of.noun}`,
): Command => ({
  words: `${of.noun}s set`,
  args: [of.noun.toUpperCase()],
  flags: { name: { value: 'NAME', help: 'A new name' }, ...flags, ...switchFlags },
  help,
  async run(input) {
    const before = await rowOf(of, input)
    const fields = { ...pick(input.flags, ['name']), ...(await fieldsOf(input, before)), ...enabledOf(input.flags) }
    const row = await input.api.call<Row>('PATCH', addressIn(of, before.id), fields)
    return { value: row, text: table([row], of.columns, '') }
  },
})

/** `users credit` */
export const creditCommand = <Row extends Named>(of: Resource<Row>, help: string): Command => ({
  words: `${of.noun}s credit`,
  args: [of.noun.toUpperCase(), 'USD'],
  flags: {
    reason: { value: 'TEXT', help: 'Recorded in the ledger; required' },
    once: { value: 'ID', help: 'Repeating it with the same id posts nothing' },
  },
  help,
  async run(input) {
    const { reason, once } = input.flags
    if (reason === undefined) throw new CommandError('Give a reason with --reason.', 2)
    const headers = { 'idempotency-key': once ?? crypto.randomUUID() }
    const row = await input.api.call<Row>('POST', `${await addressOf(of, input)}/credit`, { amount: input.args[1], reason }, headers)
    return { value: row, text: table([row], of.columns, '') }
  },
})

/** `keys delete` */
export const deleteCommand = <Row extends Named>(of: Resource<Row>, help: string): Command => ({
  words: `${of.noun}s delete`,
  args: [of.noun.toUpperCase()],
  help,
  async run(input) {
    const { id, name } = await rowOf(of, input)
    await input.api.call('DELETE', addressIn(of, id))
    return { value: { deleted: id }, text: `Deleted the ${of.noun} ${name}.` }
  },
})
