/** Dialogs for adding models by hand, and for renaming one. */
import { createSignal } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { AreaField, TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { t } from './messages.ts'
import { type ChannelModel, modelsOf } from './model-lines.ts'

/** Names, one per line, typed or pasted. */
export function AddModelsDialog(props: { known: readonly ChannelModel[]; onAdd(models: ChannelModel[]): void; onClose(): void }) {
  const [lines, setLines] = createSignal('')
  const models = () => modelsOf(lines(), props.known)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (models().length > 0) props.onAdd(models())
  }
  return (
    <Dialog
      title={t('addModelsTitle')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="add-models" look="primary" aria-disabled={models().length === 0 ? 'true' : undefined}>
            {t('addModelsGo', { count: models().length })}
          </Button>
        </>
      }
    >
      <form id="add-models" onSubmit={submit}>
        <AreaField label={t('models')} hint={t('modelsHint')} mono rows={8} value={lines()} onChange={setLines} />
      </form>
    </Dialog>
  )
}

/** The name that callers use, and the upstream's. */
export function ModelNamesDialog(props: {
  name: string
  upstream: string
  taken(name: string): boolean
  onSave(next: { name: string; upstream: string }): void
  onClose(): void
}) {
  const [name, setName] = createSignal(props.name)
  const [upstream, setUpstream] = createSignal(props.upstream)
  const isTaken = () => name().trim() !== props.name && props.taken(name().trim())
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (name().trim() !== '' && !isTaken()) props.onSave({ name: name().trim(), upstream: upstream().trim() })
  }
  return (
    <Dialog
      title={t('namesTitle', { name: props.name })}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="model-names" look="primary">
            {t('namesGo')}
          </Button>
        </>
      }
    >
      <form id="model-names" class="form" onSubmit={submit}>
        <TextField
          label={t('nameHere')}
          hint={t('nameHereHint')}
          mono
          required
          maxlength={256}
          value={name()}
          error={isTaken() ? t('nameHereTaken') : undefined}
          onChange={setName}
        />
        <TextField label={t('nameThere')} hint={t('nameThereHint')} mono maxlength={256} value={upstream()} onChange={setUpstream} />
      </form>
    </Dialog>
  )
}
