-- Batches, and jobs that last longer than a request. New tables only.
CREATE TABLE "batch_lines" (
	"batch" text NOT NULL,
	"place" integer NOT NULL,
	"state" text NOT NULL,
	"request_id" text,
	CONSTRAINT "batch_lines_batch_place_pk" PRIMARY KEY("batch","place")
);
--> statement-breakpoint
CREATE TABLE "batch_pieces" (
	"batch" text NOT NULL,
	"place" integer NOT NULL,
	"side" integer NOT NULL,
	"piece" integer NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "batch_pieces_batch_place_side_piece_pk" PRIMARY KEY("batch","place","side","piece")
);
--> statement-breakpoint
CREATE TABLE "batches" (
	"id" text PRIMARY KEY NOT NULL,
	"tenant" text NOT NULL,
	"key_id" text NOT NULL,
	"envelope" text NOT NULL,
	"endpoint" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"cancelled_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"total" integer NOT NULL,
	"succeeded" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"cancelled" integer DEFAULT 0 NOT NULL,
	"expired" integer DEFAULT 0 NOT NULL,
	"bytes" bigint NOT NULL,
	"sealed" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"runner" text,
	"beat_at" timestamp with time zone NOT NULL,
	"stop" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "batch_lines" ADD CONSTRAINT "batch_lines_batch_batches_id_fk" FOREIGN KEY ("batch") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batch_pieces" ADD CONSTRAINT "batch_pieces_batch_batches_id_fk" FOREIGN KEY ("batch") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_tenant_users_id_fk" FOREIGN KEY ("tenant") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "batches_tenant" ON "batches" USING btree ("tenant","created_at");--> statement-breakpoint
CREATE INDEX "batches_expires" ON "batches" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "jobs_kind" ON "jobs" USING btree ("kind","created_at");