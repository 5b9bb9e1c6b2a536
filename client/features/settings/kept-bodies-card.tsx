/** Kept requests: which, for how long, in how much space, who can read them, and what is redacted. */
import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { keepOptions } from '#client/console/keep-field.tsx'
import { createLoad } from '#client/console/load.ts'
import { ts } from '#client/console/messages.ts'
import { AreaField, SelectField, SwitchField, UnitField } from '#client/ui/console/form.tsx'
import { formatCount, formatDateTime } from '#client/ui/format.ts'
import type { Status } from '#shared/console/model'
import { changedMark, type Editing, SettingCard } from './editing.tsx'
import { t } from './messages.ts'
import type { SettingsDraft } from './settings-draft.ts'

/** The card. */
export function KeptBodiesCard(props: { editing: Editing }) {
  const { editing } = props
  const usual = () => editing.row.defaults.bodies
  const bodies = () => editing.draft.bodies
  const set = (change: Partial<SettingsDraft['bodies']>) => editing.set({ bodies: { ...bodies(), ...change } })
  return (
    <SettingCard section="bodies" hint={t('bodiesHint')}>
      <KeepingState />
      <Show when={editing.shows('bodies.keep')}>
        <SelectField
          label={t('keepBodies')}
          hint={`${t('keepBodiesHint')} ${t('usual', { value: ts('keepOff') })}`}
          mark={changedMark(editing, 'bodies.keep')}
          value={bodies().keep}
          options={keepOptions(bodies().keep)}
          error={editing.wrong('bodies.keep')}
          onChange={(keep) => set({ keep })}
        />
      </Show>
      <Show when={editing.shows('bodies.days')}>
        <UnitField
          label={t('bodyDays')}
          hint={`${t('bodyDaysHint')} ${t('usual', { value: formatCount(usual().days) })}`}
          unit={t('days')}
          mark={changedMark(editing, 'bodies.days')}
          value={bodies().days}
          error={editing.wrong('bodies.days')}
          onChange={(days) => set({ days })}
        />
      </Show>
      <Show when={editing.shows('bodies.mebibytes')}>
        <UnitField
          label={t('bodySize')}
          hint={`${t('bodySizeHint')} ${t('usual', { value: formatCount(usual().mebibytes) })}`}
          unit="MiB"
          mark={changedMark(editing, 'bodies.mebibytes')}
          value={bodies().mebibytes}
          error={editing.wrong('bodies.mebibytes')}
          onChange={(mebibytes) => set({ mebibytes })}
        />
      </Show>
      <Show when={editing.shows('bodies.readers')}>
        <SelectField
          label={t('bodyReaders')}
          hint={`${t('bodyReadersHint')} ${t('usual', { value: t('readersAll') })}`}
          mark={changedMark(editing, 'bodies.readers')}
          value={bodies().readers}
          options={[
            { value: 'administrators', label: t('readersAll') },
            { value: 'owners', label: t('readersOwners') },
          ]}
          error={editing.wrong('bodies.readers')}
          onChange={(readers) => set({ readers: readers === 'owners' ? 'owners' : 'administrators' })}
        />
      </Show>
      <Show when={editing.shows('bodies.redactFields')}>
        <AreaField
          label={t('redactFields')}
          hint={`${t('redactFieldsHint')} ${t('usual', { value: t('noneSet') })}`}
          mono
          rows={3}
          placeholder={'metadata.user_id\nmessages.*.name'}
          mark={changedMark(editing, 'bodies.redactFields')}
          value={bodies().redactFields}
          error={editing.wrong('bodies.redactFields')}
          onChange={(redactFields) => set({ redactFields })}
        />
      </Show>
      <Show when={editing.shows('bodies.heedStore')}>
        <div class="switched" classList={{ changed: editing.row.changed.includes('bodies.heedStore') }}>
          <SwitchField
            label={t('heedStore')}
            hint={`${t('heedStoreHint')} ${t('usual', { value: t('off') })}`}
            on={bodies().heedStore}
            onChange={(heedStore) => set({ heedStore })}
          />
          {changedMark(editing, 'bodies.heedStore')}
        </div>
      </Show>
      <Show when={editing.shows('bodies.redactNumbers')}>
        <div class="switched" classList={{ changed: editing.row.changed.includes('bodies.redactNumbers') }}>
          <SwitchField
            label={t('redactNumbers')}
            hint={`${t('redactNumbersHint')} ${t('usual', { value: t('off') })}`}
            on={bodies().redactNumbers}
            onChange={(redactNumbers) => set({ redactNumbers })}
          />
          {changedMark(editing, 'bodies.redactNumbers')}
        </div>
      </Show>
    </SettingCard>
  )
}

/** The state of keeping on the responding instance: location and size, errors, and what was kept and dropped. */
function KeepingState() {
  const status = createLoad(
    () => '/api/status',
    (path, signal) => callApi<Status>('GET', path, undefined, signal),
  )
  return (
    <Show when={status.value()?.bodies}>
      {(state) => (
        <>
          <Show when={state().stopped}>
            {(stopped) => (
              <p class="notice bad m-4" role="status">
                {t('bodiesStopped', { since: formatDateTime(Date.parse(stopped().since)), cause: stopped().cause })}
              </p>
            )}
          </Show>
          <Show when={state().bucketFault}>
            {(fault) => (
              <p class="notice bad m-4" role="status">
                {t('bucketFault', {
                  since: formatDateTime(Date.parse(fault().since)),
                  cause: fault().cause,
                  size: mebibytes(state().notUploaded),
                })}
              </p>
            )}
          </Show>
          <p class="hint px-4 py-3">
            {t('bodiesPlace', { place: state().place, size: mebibytes(state().bytes) })}
            <Show when={!state().stopped && state().kept + state().dropped > 0}>
              {' '}
              {t('bodiesState', { kept: state().kept, dropped: state().dropped })}
            </Show>
          </p>
        </>
      )}
    </Show>
  )
}

const mebibytes = (bytes: number | null) => `${formatCount(Math.round((bytes ?? 0) / 1024 / 1024))} MiB`
