import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { BoundsFields } from '#client/console/bounds-fields.tsx'
import { errorAt, explain } from '#client/console/explain.ts'
import { causes, fallbacksOf, linesOf } from '#client/console/fallback-lines.ts'
import { keepChoice, keepOf } from '#client/console/keep-choice.ts'
import { KeepField } from '#client/console/keep-field.tsx'
import { boundsOf, readBounds } from '#client/console/limits.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { AreaField, TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import type { ChannelRow } from '#shared/console/channel'
import type { ManagedGroupRow } from '#shared/console/group'
import type { AccountRow } from '#shared/console/user'
import { GroupMembers } from './group-members.tsx'
import { t } from './messages.ts'

/** Adds a group, or changes one. */
export function GroupDialog(props: {
  row?: ManagedGroupRow
  /** Who is in it, as far as it is known. */
  members?: { users: AccountRow[]; channels: ChannelRow[] } | undefined
  onDone(): void
  onClose(): void
}) {
  const [name, setName] = createSignal(props.row?.name ?? '')
  const [description, setDescription] = createSignal(props.row?.description ?? '')
  const [ratio, setRatio] = createSignal(props.row?.ratio ?? '1')
  const [keep, setKeep] = createSignal(keepChoice(props.row?.logBodies ?? false))
  const [fallbacks, setFallbacks] = createSignal(linesOf(props.row?.fallbacks ?? {}))
  const [badLine, setBadLine] = createSignal(false)
  const [bounds, setBounds] = createSignal(boundsOf(props.row))
  const write = createWrite()
  const readonly = () => props.row?.managed === 'file'
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const own = fallbacksOf(fallbacks())
    setBadLine(own === undefined)
    if (own === undefined) return
    const fields = {
      description: description().trim(),
      ratio: ratio().trim(),
      logBodies: keepOf(keep()),
      fallbacks: own,
      ...readBounds(bounds()),
    }
    const done = await write.run(() =>
      props.row
        ? callApi('PATCH', `/api/groups/${encodeURIComponent(props.row.name)}`, fields)
        : callApi('POST', '/api/groups', { name: name().trim(), ...fields }),
    )
    if (done) props.onDone()
  }
  return (
    <Dialog
      wide
      title={props.row ? t('editTitle', { name: props.row.name }) : t('addTitle')}
      intro={readonly() ? t('managed') : t('intro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{readonly() ? tc('close') : tc('cancel')}</Button>
          <Show when={!readonly()}>
            <Button type="submit" form="group" look="primary" busy={write.busy()}>
              {props.row ? tc('save') : t('add')}
            </Button>
          </Show>
        </>
      }
    >
      <form id="group" class="form" onSubmit={(event) => void submit(event)}>
        <Show when={!props.row}>
          <TextField label={t('name')} value={name()} required maxlength={120} error={errorAt(write.error(), 'name')} onChange={setName} />
        </Show>
        <div class="two">
          <TextField
            label={t('description')}
            value={description()}
            readonly={readonly()}
            error={errorAt(write.error(), 'description')}
            onChange={setDescription}
          />
          <TextField
            label={t('ratio')}
            hint={t('ratioHint')}
            value={ratio()}
            readonly={readonly()}
            error={errorAt(write.error(), 'ratio')}
            onChange={setRatio}
          />
        </div>
        <KeepField value={keep()} readonly={readonly()} onChange={setKeep} />
        <BoundsFields value={bounds()} error={write.error()} readonly={readonly()} onChange={setBounds} />
        <fieldset class="fieldset">
          <legend>{t('fallbacks')}</legend>
          <p class="hint">{t('fallbacksHint')}</p>
          {causes.map((cause) => (
            <AreaField
              label={t(`after_${cause}`)}
              mono
              rows={2}
              readonly={readonly()}
              value={fallbacks()[cause]}
              error={badLine() ? t('badLine') : errorAt(write.error(), 'fallbacks')}
              onChange={(text) => setFallbacks({ ...fallbacks(), [cause]: text })}
            />
          ))}
        </fieldset>
        <Show when={write.error()}>{(error) => <p class="notice bad">{explain(error())}</p>}</Show>
      </form>
      <Show when={props.row && props.members}>
        {(members) => <GroupMembers name={props.row?.name ?? ''} users={members().users} channels={members().channels} />}
      </Show>
    </Dialog>
  )
}
