/** Commands for reselling: codes, plans, credits of payment systems. */
import type { CodeRow, CreditRow, PlanRow, PlanState, PlanWindow } from '#shared/console/selling'
import { CommandError } from './api.ts'
import { type Column, type Command, type Flag, type Input, pick, table, wholeNumber } from './command.ts'
import { createCommand, deleteCommand, type List, listCommand, type Resource, setCommand } from './resource.ts'

const seg = encodeURIComponent

const codeColumns: readonly Column<CodeRow>[] = [
  ['id', (row) => row.id],
  ['batch', (row) => row.batch],
  ['code', (row) => row.hint],
  ['value', (row) => row.value],
  ['plan', (row) => row.plan && `${row.plan.name} ${row.plan.days}d`],
  ['state', (row) => row.state],
  ['redeemed by', (row) => row.redeemedBy?.name],
  ['note', (row) => row.note],
]
const planColumns: readonly Column<PlanRow>[] = [
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['group', (row) => row.group],
  ['windows', (row) => row.windows.map(({ every, amount }) => `${every}:${amount}`).join(',')],
  ['state', (row) => (row.enabled ? 'on' : 'off')],
  ['holders', (row) => row.holders],
]
const creditColumns: readonly Column<CreditRow>[] = [
  ['reference', (row) => row.reference],
  ['of', (row) => row.of],
  ['wallet', (row) => row.wallet.name ?? row.wallet.id],
  ['amount', (row) => row.amount],
  ['at', (row) => row.at],
  ['reason', (row) => row.reason],
]

const planFlags: Readonly<Record<string, Flag>> = {
  group: { value: 'GROUP', help: 'Whose models and price ratio its holders have' },
  windows: { value: '5h:2,1w:10', help: 'Windows, each with its length and its budget in USD' },
}
const whoFlags: Readonly<Record<string, Flag>> = {
  user: { value: 'USER', help: 'A user, by id or name' },
  team: { value: 'TEAM', help: 'A team, by id or name' },
}

const planFields = (flags: Input['flags']) => ({
  ...pick(flags, ['group']),
  ...(flags.windows !== undefined && { windows: windowsOf(flags.windows) }),
})

function windowsOf(text: string): PlanWindow[] {
  return text.split(',').map((part) => {
    const [every = '', amount, ...more] = part.trim().split(':')
    if (amount === undefined || more.length > 0) throw new CommandError('--windows takes lengths with amounts, as in 5h:2,1w:10.', 2)
    return { every, amount }
  })
}

const codes: List<CodeRow> = { noun: 'code', path: '/api/codes', columns: codeColumns }
const plans: Resource<PlanRow> = { noun: 'plan', path: '/api/plans', columns: planColumns }
const credits: List<CreditRow> = { noun: 'credit', path: '/api/credits', columns: creditColumns }

/** The address of the user or team that the flags name. */
function payerOf({ user, team }: Input['flags']): string {
  if ((user === undefined) === (team === undefined)) throw new CommandError('Give exactly one of --user and --team.', 2)
  return team === undefined ? `/api/users/${seg(user ?? '')}` : `/api/teams/${seg(team)}`
}

const planText = ({ plan }: PlanState) =>
  plan === null
    ? 'No plan.'
    : [
        `${plan.name} until ${plan.until}`,
        ...plan.windows.map(
          ({ every, amount, left, renewsAt }) => `${every}: ${left} of ${amount} left${renewsAt === null ? '' : `, anew ${renewsAt}`}`,
        ),
      ].join('\n')

/** `codes`, `plans` and `credits`. */
export const sellingCommands: readonly Command[] = [
  listCommand(codes, 'Codes, newest first', { batch: { value: 'BATCH', help: 'Only the codes of this batch' } }),
  {
    words: 'codes create',
    flags: {
      count: { value: 'N', help: 'How many; one when absent' },
      value: { value: 'USD', help: 'Credit of each code' },
      plan: { value: 'PLAN', help: 'Plan of each code' },
      days: { value: 'N', help: 'For how many days' },
      expires: { value: 'TIME', help: 'RFC 3339: must be redeemed before' },
      group: { value: 'GROUP', help: 'Only for users and teams that may use this group' },
      user: { value: 'USER', help: 'Only for this user' },
      note: { value: 'TEXT', help: 'For people' },
    },
    help: 'Creates codes and prints them, once',
    async run({ api, flags }) {
      const made = await api.call<{ batch: string; codes: { code: string }[] }>('POST', '/api/codes', {
        count: wholeNumber(flags.count ?? '1', 'count'),
        ...pick(flags, ['value', 'plan', 'group', 'user', 'note']),
        ...(flags.days !== undefined && { days: wholeNumber(flags.days, 'days') }),
        ...(flags.expires !== undefined && { expiresAt: flags.expires }),
      })
      return { value: made, text: made.codes.map(({ code }) => code).join('\n') }
    },
  },
  {
    words: 'codes revoke',
    args: ['ID'],
    help: 'Revokes a code, or the unredeemed codes of a batch',
    async run({ api, args: [id = ''] }) {
      await api.call('DELETE', `/api/codes/${seg(id)}`)
      return { value: { revoked: id }, text: `Revoked ${id}.` }
    },
  },
  listCommand(plans, 'Plans'),
  createCommand(plans, planFlags, ({ flags }) => planFields(flags)),
  setCommand(plans, planFlags, ({ flags }) => planFields(flags), 'Changes a plan; current holders keep it as it was given'),
  deleteCommand(plans, 'Deletes a plan; current holders keep it'),
  {
    words: 'plans give',
    args: ['PLAN'],
    flags: { ...whoFlags, until: { value: 'TIME', help: 'RFC 3339; required' } },
    help: 'Gives a user or a team a plan, or moves its end',
    async run(input) {
      if (input.flags.until === undefined) throw new CommandError('Give its end with --until.', 2)
      const state = await input.api.call<PlanState>('PUT', `${payerOf(input.flags)}/plan`, {
        plan: input.args[0],
        until: input.flags.until,
      })
      return { value: state, text: planText(state) }
    },
  },
  {
    words: 'plans take',
    flags: whoFlags,
    help: 'Removes the plan of a user or a team',
    async run(input) {
      await input.api.call('DELETE', `${payerOf(input.flags)}/plan`)
      return { value: { taken: true }, text: 'Removed.' }
    },
  },
  listCommand(credits, 'Credits and refunds of payment systems, newest first', {
    reference: { value: 'REF', help: 'Only this credit and its refunds' },
    wallet: { value: 'NAME', help: 'Only of this user or team' },
  }),
  {
    words: 'credits add',
    args: ['REF', 'USD'],
    flags: { ...whoFlags, reason: { value: 'TEXT', help: 'Recorded in the ledger' } },
    help: 'Credits a payment, once under its reference',
    async run({ api, args: [reference, amount], flags }) {
      const row = await api.call<CreditRow>('POST', '/api/credits', { reference, amount, ...pick(flags, ['user', 'team', 'reason']) })
      return { value: row, text: table([row], creditColumns, '') }
    },
  },
  {
    words: 'credits refund',
    args: ['OF', 'REF'],
    flags: {
      amount: { value: 'USD', help: 'Everything not refunded yet when absent' },
      partial: { help: 'Take what is left if that is less' },
      reason: { value: 'TEXT', help: 'Recorded in the ledger' },
    },
    help: 'Refunds the credit OF under the reference REF',
    async run({ api, args: [of, reference], flags }) {
      const fields = { of, reference, ...pick(flags, ['amount', 'reason']), ...(flags.partial !== undefined && { partial: true }) }
      const row = await api.call<CreditRow>('POST', '/api/credits/refund', fields)
      return { value: row, text: table([row], creditColumns, '') }
    },
  },
]
