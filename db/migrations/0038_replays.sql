-- Replays of kept requests: jobs and their items. New tables only.
CREATE TABLE "replay_items" (
	"job_id" text NOT NULL,
	"n" integer NOT NULL,
	"original_id" text NOT NULL,
	"target" integer NOT NULL,
	"state" text NOT NULL,
	"replay_id" text,
	"begun_at" timestamp with time zone,
	"error" jsonb,
	"exact" boolean DEFAULT false NOT NULL,
	"expected" bigint NOT NULL,
	"charged" bigint,
	"original" jsonb,
	"result" jsonb,
	"difference" jsonb,
	CONSTRAINT "replay_items_job_id_n_pk" PRIMARY KEY("job_id","n")
);
--> statement-breakpoint
CREATE TABLE "replay_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"at" timestamp with time zone NOT NULL,
	"group" text NOT NULL,
	"targets" jsonb NOT NULL,
	"requests" integer NOT NULL,
	"ceiling" bigint NOT NULL,
	"expected" bigint NOT NULL,
	"state" text NOT NULL,
	"stop_asked" boolean DEFAULT false NOT NULL,
	"holder" text,
	"held_until" timestamp with time zone,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "replay_items" ADD CONSTRAINT "replay_items_job_id_replay_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."replay_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replay_jobs" ADD CONSTRAINT "replay_jobs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "replay_items_original" ON "replay_items" USING btree ("original_id");--> statement-breakpoint
CREATE INDEX "replay_items_replay" ON "replay_items" USING btree ("replay_id");--> statement-breakpoint
CREATE INDEX "replay_jobs_user" ON "replay_jobs" USING btree ("user_id","at");--> statement-breakpoint
CREATE INDEX "replay_jobs_state" ON "replay_jobs" USING btree ("state");