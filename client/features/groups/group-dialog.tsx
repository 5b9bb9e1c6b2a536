import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { BoundsFields } from '#client/console/bounds-fields.tsx'
import { errorAt } from '#client/console/explain.ts'
import { type Cause, causes, errorAtCause, fallbacksOf, linesOf } from '#client/console/fallback-lines.ts'
import { keepChoice, keepOf } from '#client/console/keep-choice.ts'
import { KeepField } from '#client/console/keep-field.tsx'
import { boundsOf, readBounds } from '#client/console/limits.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { AreaField, TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import { showFault } from '#client/ui/keep-focus.ts'
import type { ManagedGroupRow } from '#shared/console/group'
import { GroupMembers } from './group-members.tsx'
import { t } from './messages.ts'

/** Adds a group, or changes one. */
export function GroupDialog(props: { row?: ManagedGroupRow; onDone(): void; onClose(): void }) {
  const [name, setName] = createSignal(props.row?.name ?? '')
  const [description, setDescription] = createSignal(props.row?.description ?? '')
  const [ratio, setRatio] = createSignal(props.row?.ratio ?? '1')
  const [keep, setKeep] = createSignal(keepChoice(props.row?.logBodies ?? false))
  const [fallbacks, setFallbacks] = createSignal(linesOf(props.row?.fallbacks ?? {}))
  const [wrong, setWrong] = createSignal<Cause[]>([])
  const [bounds, setBounds] = createSignal(boundsOf(props.row))
  const write = createWrite()
  const readonly = () => props.row?.managed === 'file'
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const own = fallbacksOf(fallbacks())
    setWrong([])
    if (own.wrong.length > 0) {
      write.clear()
      showFault(() => setWrong(own.wrong))
      return
    }
    const fields = {
      description: description().trim(),
      ratio: ratio().trim(),
      logBodies: keepOf(keep()),
      fallbacks: own.found,
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
              error={wrong().includes(cause) ? t('badLine') : errorAtCause(write.error(), cause)}
              onChange={(text) => setFallbacks({ ...fallbacks(), [cause]: text })}
            />
          ))}
        </fieldset>
        <Refusal of={write} />
      </form>
      <Show when={props.row}>{(row) => <GroupMembers row={row()} />}</Show>
    </Dialog>
  )
}
