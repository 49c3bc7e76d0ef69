/* What C would do with Ruby's public functions: the anchors of benchmark/heap.rb. A loop each, over the objects of an
 * array, with nothing that Ikra does besides: no ids, no checks, no unions. */
#include <ruby.h>
#include <stdlib.h>

/* Reads three instance variables of each object. */
static VALUE read_variables(VALUE self, VALUE objects, VALUE a, VALUE b, VALUE c)
{
    ID ids[3] = {rb_to_id(a), rb_to_id(b), rb_to_id(c)};
    VALUE seen = 0;
    for (long i = 0; i < RARRAY_LEN(objects); i++) {
        VALUE object = RARRAY_AREF(objects, i);
        for (int k = 0; k < 3; k++) seen ^= rb_ivar_get(object, ids[k]);
    }
    return RB_ULL2NUM(seen >> 4);
}

/* Sets an instance variable of each object to a Float. */
static VALUE write_variable(VALUE self, VALUE objects, VALUE name)
{
    ID id = rb_to_id(name);
    for (long i = 0; i < RARRAY_LEN(objects); i++)
        rb_ivar_set(RARRAY_AREF(objects, i), id, DBL2NUM((double)i + 0.5));
    return Qnil;
}

/* Floats to a column of doubles. */
static VALUE to_column(VALUE self, VALUE floats)
{
    long length = RARRAY_LEN(floats);
    double *column = malloc(length * sizeof(double));
    for (long i = 0; i < length; i++) column[i] = NUM2DBL(RARRAY_AREF(floats, i));
    VALUE last = DBL2NUM(column[length - 1]);
    free(column);
    return last;
}

/* Floats in small Arrays, in an Array, to a column of doubles. */
static VALUE arrays_to_column(VALUE self, VALUE arrays, VALUE most)
{
    double *column = malloc(RARRAY_LEN(arrays) * NUM2LONG(most) * sizeof(double));
    long count = 0;
    for (long i = 0; i < RARRAY_LEN(arrays); i++) {
        VALUE array = RARRAY_AREF(arrays, i);
        for (long k = 0; k < RARRAY_LEN(array); k++) column[count++] = NUM2DBL(RARRAY_AREF(array, k));
    }
    VALUE last = DBL2NUM(column[count - 1]);
    free(column);
    return last;
}

/* A column of doubles to an Array. */
static VALUE to_array(VALUE self, VALUE length)
{
    long n = NUM2LONG(length);
    VALUE array = rb_ary_new_capa(n);
    for (long i = 0; i < n; i++) rb_ary_push(array, DBL2NUM((double)i + 0.5));
    return array;
}

void Init_heap_anchor(void)
{
    VALUE module = rb_define_module("HeapAnchor");
    rb_define_module_function(module, "read_variables", read_variables, 4);
    rb_define_module_function(module, "write_variable", write_variable, 2);
    rb_define_module_function(module, "to_column", to_column, 1);
    rb_define_module_function(module, "arrays_to_column", arrays_to_column, 2);
    rb_define_module_function(module, "to_array", to_array, 1);
}
