import { createSignal, Show } from 'solid-js'
import { firstNames } from '#client/console/lists/one-by-one.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { t } from '#client/features/channels/messages.ts'
import { isWhole } from '#client/features/channels/whole-number.ts'
import { Button } from '#client/ui/button.tsx'
import { CheckList, TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import type { ChannelPatch, ChannelRow } from '#shared/console/channel'
import type { GroupRow } from '#shared/console/group'
import { type ChannelEdit, noEdit, patchFor } from './channel-edit.ts'

/** Edits tags, groups, priority and weight of several channels at once. Shows which of them would change. */
export function EditDialog(props: {
  rows: readonly ChannelRow[]
  onGo(patchOf: (row: ChannelRow) => ChannelPatch | undefined): void
  onClose(): void
}) {
  const [edit, setEdit] = createSignal<ChannelEdit>(noEdit)
  const groups = createLoad(
    () => '/api/groups?all=true',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const wrong = (name: 'priority' | 'weight') =>
    edit()[name].trim() === '' || isWhole(edit()[name], name === 'weight' ? 0 : -1_000_000) ? undefined : t('wholeNumber')
  const changed = () => (wrong('priority') || wrong('weight') ? [] : props.rows.filter((row) => patchFor(row, edit())))
  const text = (name: 'priority' | 'weight' | 'addTags' | 'removeTags', hint?: string) => (
    <TextField
      label={t(name)}
      hint={hint}
      value={edit()[name]}
      error={name === 'priority' || name === 'weight' ? wrong(name) : undefined}
      onChange={(value) => setEdit({ ...edit(), [name]: value })}
    />
  )
  const checks = (name: 'addGroups' | 'removeGroups') => (
    <CheckList
      label={t(name)}
      options={(groups.value() ?? []).map((group) => ({ value: group.name, label: group.name }))}
      chosen={edit()[name]}
      onChange={(chosen) => setEdit({ ...edit(), [name]: chosen })}
    />
  )
  const effect = () => {
    const { names, more } = firstNames(changed())
    if (names === '') return t('editNothing')
    return t('editChanges', { names: more > 0 ? t('bulkMore', { names, count: more }) : names })
  }
  return (
    <Dialog
      wide
      title={t('editTitle', { count: props.rows.length })}
      intro={t('editIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="edit-channels" look="primary" aria-disabled={changed().length === 0 ? 'true' : undefined}>
            {changed().length === 0 ? t('bulkEdit') : t('editGo', { count: changed().length })}
          </Button>
        </>
      }
    >
      <form
        id="edit-channels"
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (changed().length > 0) props.onGo((row) => patchFor(row, edit()))
        }}
      >
        <div class="two">
          {text('addTags', t('commas'))}
          {text('removeTags', t('commas'))}
          {text('priority')}
          {text('weight')}
          <Show when={groups.value()?.length}>
            {checks('addGroups')}
            {checks('removeGroups')}
          </Show>
        </div>
        <p class="text-[13px] text-ink-2" role="status">
          {effect()}
        </p>
      </form>
    </Dialog>
  )
}
