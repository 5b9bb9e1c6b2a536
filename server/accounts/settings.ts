/**
 * Settings of the whole installation, from memory: those set in the console, overridden by those of the file. A change on any
 * instance refreshes the mirror.
 */
import { type Actor, theFile } from '#shared/console/audit'
import { type BodySettings, usualBodies } from '#shared/console/body'
import { type Quotas, usualQuotas } from '#shared/console/quota'
import type { BalancingMode, DeclaredRouting, Fallback, SecondFactorRule, SettingsPatch, SettingsRow } from '#shared/console/settings'
import { GatewayError } from '#shared/errors'
import { sameValue } from '#shared/same-value'
import { audited } from '#store/accounts/audit'
import { readSetting, writeSetting } from '#store/accounts/settings'
import { mirror } from '#store/engine/mirror'
import type { Store } from '#store/engine/store'

type Fallbacks = Record<string, Fallback>

/** Reads and changes the settings. */
export interface Settings {
  row(): SettingsRow
  /** Undefined for a model without fallbacks. */
  fallback(model: string): Required<Fallback> | undefined
  balancing(): BalancingMode
  /** Minutes between two checks of a resting channel; null: none. */
  checkMinutes(): number | null
  /** The banner for signed-in users; null: none. */
  banner(): string | null
  moderationModel(): string
  /** The quotas of each user. */
  quotas(): Quotas
  /** Settings of kept bodies. */
  bodies(): BodySettings
  /** Who must use a second factor. */
  secondFactor(): { required: SecondFactorRule; afterProvider: boolean }
  /** Which bodies the installation stores, as a field: request handling reads it without a call. */
  readonly house: { readonly keep: BodySettings['keep'] }
  /** Throws `managed_by_file`. */
  change(by: Actor, fields: SettingsPatch): Promise<SettingsRow>
  /** Replaces the fallbacks declared in the file. */
  declareFallbacks(fallbacks: Fallbacks): Promise<void>
  /** Replaces the routing settings declared in the file. */
  declareRouting(routing: DeclaredRouting): Promise<void>
}

/** Setting names in the store: the file's parts and the console's. */
const names = { file: 'fallbacks', routing: 'routing', console: 'console' } as const

/** Size of the cache of fallbacks: callers may name any model. */
const mostKnown = 1000
/** Before an administrator chooses anything. */
const nothing: SettingsPatch = {}

/** Loads the settings. `usual`: the defaults where nothing is set. */
export async function createSettings(store: Store, usual: { moderationModel: string }): Promise<Settings> {
  const load = async (name: string) => {
    const value = Object.values<string>(names).includes(name) ? await readSetting(store, name) : undefined
    return value === undefined ? undefined : { name, value }
  }
  /** Fallbacks looked up since the last change, by model; null = none. */
  const known = new Map<string, Required<Fallback> | null>()
  const house = { keep: usualBodies.keep }
  const stored = await mirror<{ name: string; value: unknown }>(store, {
    table: 'settings',
    id: ({ name }) => name,
    load,
    loadAll: async () => (await Promise.all(Object.values(names).map(load))).filter((row) => row !== undefined),
    onChange: (name, row) => {
      known.clear()
      if (name === names.console) house.keep = ((row?.value ?? {}) as SettingsPatch).bodies?.keep ?? usualBodies.keep
    },
  })
  // Only this module writes these settings, after schema validation.
  const declared = () => (stored.get(names.file)?.value ?? {}) as Fallbacks
  const declaredRouting = () => (stored.get(names.routing)?.value ?? {}) as DeclaredRouting
  const chosen = () => (stored.get(names.console)?.value ?? nothing) as SettingsPatch

  const fallbackOf = (model: string): Fallback | undefined => {
    const from = [declared(), chosen().fallbacks ?? {}].find((fallbacks) => Object.hasOwn(fallbacks, model))
    return from?.[model]
  }

  const quotas = (): Quotas => ({ ...usualQuotas, ...chosen().quotas })

  const bodies = (): BodySettings => ({ ...usualBodies, ...chosen().bodies })

  const secondFactor = () => {
    const { requireSecondFactor: required = 'off', secondFactorAfterProvider: afterProvider = false } = chosen()
    return { required, afterProvider }
  }

  /** A chosen value equal to the default does not count. */
  const changed = (): string[] => {
    const { quotas: counts = {}, bodies: kept = {}, moderationModel, keepLogsMonths, fallbacks, shareLinks } = chosen()
    const differing = Object.entries(counts).filter(([name, count]) => count !== usualQuotas[name as keyof Quotas])
    const keeping = Object.entries(kept).filter(([name, value]) => !sameValue(value, usualBodies[name as keyof BodySettings]))
    return [
      ...(moderationModel !== undefined && moderationModel !== usual.moderationModel ? ['moderationModel'] : []),
      ...(fallbacks !== undefined && Object.keys(fallbacks).length > 0 ? ['fallbacks'] : []),
      ...(keepLogsMonths != null ? ['keepLogsMonths'] : []),
      ...((chosen().balancing ?? 'weight') !== 'weight' ? ['balancing'] : []),
      ...(chosen().checkMinutes != null ? ['checkMinutes'] : []),
      ...(chosen().banner != null ? ['banner'] : []),
      ...(shareLinks === true ? ['shareLinks'] : []),
      ...(secondFactor().required !== 'off' ? ['requireSecondFactor'] : []),
      ...(secondFactor().afterProvider ? ['secondFactorAfterProvider'] : []),
      ...differing.map(([name]) => `quotas.${name}`),
      ...keeping.map(([name]) => `bodies.${name}`),
    ]
  }

  // On the path of every request: no extra function calls.
  const balancing = (): BalancingMode =>
    (stored.get(names.routing)?.value as DeclaredRouting | undefined)?.balancing ?? chosen().balancing ?? 'weight'
  const checkMinutes = (): number | null => declaredRouting().checkMinutes ?? chosen().checkMinutes ?? null

  const row = (): SettingsRow => ({
    moderationModel: chosen().moderationModel ?? usual.moderationModel,
    fallbacks: { ...chosen().fallbacks, ...declared() },
    ...(balancing() !== 'weight' && { balancing: balancing() }),
    ...(checkMinutes() !== null && { checkMinutes: checkMinutes() as number }),
    keepLogsMonths: chosen().keepLogsMonths ?? null,
    ...(chosen().banner != null && { banner: chosen().banner as string }),
    shareLinks: chosen().shareLinks ?? false,
    ...(secondFactor().required !== 'off' && { requireSecondFactor: secondFactor().required }),
    ...(secondFactor().afterProvider && { secondFactorAfterProvider: true }),
    quotas: quotas(),
    bodies: bodies(),
    managedByFile: { fallbacks: Object.keys(declared()), routing: Object.keys(declaredRouting()) as (keyof DeclaredRouting)[] },
    defaults: { moderationModel: usual.moderationModel, keepLogsMonths: null, shareLinks: false, quotas: usualQuotas, bodies: usualBodies },
    changed: changed(),
  })

  /** Leaves out the fallbacks that the file already declares. */
  function ownFallbacks(fallbacks: Fallbacks): Fallbacks {
    const kept = Object.entries(fallbacks).filter(([model, fallback]) => {
      if (!Object.hasOwn(declared(), model)) return true
      if (sameValue(declared()[model], fallback)) return false
      const message = 'The fallbacks of this model are declared in the configuration file; change them there.'
      throw new GatewayError('managed_by_file', message, { param: 'fallbacks' })
    })
    return Object.fromEntries(kept)
  }

  /** Throws `managed_by_file` for a setting that the file declares with another value. */
  function demandOwnRouting(fields: SettingsPatch): void {
    for (const [param, value] of Object.entries(declaredRouting())) {
      const given = fields[param as keyof DeclaredRouting]
      if (given === undefined || given === value) continue
      const message = 'This setting is declared in the configuration file; change it there.'
      throw new GatewayError('managed_by_file', message, { param })
    }
  }

  function write(by: Actor, name: string, value: object): Promise<void> {
    const look = async (store: Store) => {
      const found = await readSetting(store, name)
      return name === names.file ? { fallbacks: found } : (found as SettingsPatch | undefined)
    }
    return audited(store, by, { action: 'settings.change', target: name }, look, (store) => writeSetting(store, name, value))
  }

  return {
    row,
    fallback(model) {
      const ready = known.get(model)
      if (ready !== undefined) return ready ?? undefined
      const found = fallbackOf(model)
      const whole = found ? { error: found.error ?? [], context: found.context ?? [], filter: found.filter ?? [] } : null
      if (known.size < mostKnown) known.set(model, whole)
      return whole ?? undefined
    },
    balancing,
    checkMinutes,
    banner: () => chosen().banner ?? null,
    moderationModel: () => row().moderationModel,
    quotas,
    bodies,
    secondFactor,
    house,
    async change(by, { fallbacks, quotas: given, bodies: kept, ...fields }) {
      demandOwnRouting(fields)
      const next = {
        ...chosen(),
        ...fields,
        ...(fallbacks && { fallbacks: ownFallbacks(fallbacks) }),
        ...(given && { quotas: { ...chosen().quotas, ...given } }),
        ...(kept && { bodies: { ...chosen().bodies, ...kept } }),
      }
      if (!sameValue(next, chosen())) await write(by, names.console, next)
      return row()
    },
    async declareFallbacks(fallbacks) {
      if (!sameValue((await readSetting(store, names.file)) ?? {}, fallbacks)) await write(theFile, names.file, fallbacks)
    },
    async declareRouting(routing) {
      if (!sameValue((await readSetting(store, names.routing)) ?? {}, routing)) await write(theFile, names.routing, routing)
    },
  }
}
